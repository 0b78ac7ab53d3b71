import type { Database, Tx } from "./database.ts";

/** A prepared statement. */
export interface Statement {
  name: string;
  text: string;
  values: unknown[];
}

/** Runs a statement: alone in its transaction, or in that of a use case. */
export type RunStatement = <Row extends object>(statement: Statement) => Promise<Row[]>;

export const onPool =
  ({ pool }: Pick<Database, "pool">): RunStatement =>
  async <Row extends object>(statement: Statement) =>
    (await pool.query<Row>(statement)).rows;

/** Statements of Prisma are prepared too, under a name of its own. */
export const inTransaction =
  (tx: Tx): RunStatement =>
  (statement) =>
    tx.$queryRawUnsafe(statement.text, ...statement.values);
