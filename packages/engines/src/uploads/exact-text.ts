import { type OwnSql, sql, sqlType } from "../duckdb/own-sql.ts";
import { allOf, anyOf } from "./conditions.ts";
import { isExactDecimal, isExactFloat, isNotFinite, isNumber, printsSame } from "./exact-numbers.ts";
import { holdsSlashed, holdsTime, isOfDays, isSlashed, toYearFirst } from "./exact-times.ts";
import type { DateOrder } from "./upload-tasks.ts";

/** Stands for the DECIMAL that has room for all digits of a column. */
export const anyDecimal = "DECIMAL";

/** A type for the values of a column, and how dates such as 01/02/2024 are read in it. */
export interface ValueType {
  type: string;
  dateOrder?: DateOrder | undefined;
}

/** A condition of SQL: whether a type holds the value that a text means, exactly. */
export function holdsText({ type, dateOrder }: ValueType, text: OwnSql): OwnSql {
  if (dateOrder !== undefined && isOfDays(type)) {
    return anyOf(holdsSlashed(type, dateOrder, text), holdsText({ type }, text));
  }
  switch (type) {
    case "VARCHAR":
      return sql`true`;
    case "BOOLEAN":
      return sql`(lower(${text}) IN ('true', 'false'))`;
    case "FLOAT":
    case "DOUBLE":
      return anyOf(allOf(isNumber(text), isExactFloat(type, text)), isNotFinite(text));
    case "UUID":
      return allOf(sql`CAST(TRY_CAST(${text} AS UUID) AS VARCHAR) = lower(${text})`);
    case "JSON":
      return sql`json_valid(${text})`;
  }
  if (type.startsWith("DECIMAL(")) return isExactDecimal(type, text);
  return holdsTime(type, text) ?? printsSame(type, text);
}

/** The value of a text that the type holds. */
export function castText({ type, dateOrder }: ValueType, text: OwnSql): OwnSql {
  if (type === "VARCHAR") return text;
  const yearFirst =
    dateOrder !== undefined && isOfDays(type)
      ? sql`CASE WHEN ${isSlashed(type, text)} THEN ${toYearFirst(text, dateOrder)} ELSE ${text} END`
      : text;
  return sql`CAST(${yearFirst} AS ${sqlType(type)})`;
}
