import { type OwnSql, sql, sqlJoin } from "../duckdb/own-sql.ts";

/** Conditions of which each is tested only where all before it hold. AND tests all of them on every row. */
export const allOf = (...conditions: OwnSql[]): OwnSql =>
  conditions.reduceRight(
    (rest, condition) => sql`CASE WHEN ${condition} THEN ${rest} ELSE false END`,
    sql`true`,
  );

/** Conditions of which each is tested only where none before it holds. */
export const anyOf = (...conditions: OwnSql[]): OwnSql => {
  const cases = conditions.map((condition) => sql`WHEN ${condition} THEN true`);
  return sql`CASE ${sqlJoin(cases, " ")} ELSE false END`;
};
