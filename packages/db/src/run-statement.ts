import { activeTraceparent } from "@querybell/tracing";
import type { Pool, Tx } from "./database.ts";

/** A prepared statement. */
export interface Statement {
  name: string;
  text: string;
  values: unknown[];
}

/** Runs a statement: alone in its transaction, or in that of a use case. */
export type RunStatement = <Row extends object>(statement: Statement) => Promise<Row[]>;

export const onPool =
  ({ pool }: { pool: Pool }): RunStatement =>
  async <Row extends object>(statement: Statement) => {
    const traceparent = activeTraceparent();
    if (traceparent === undefined) return (await pool.query<Row>(statement)).rows;
    return runTraced<Row>(pool, statement, traceparent);
  };

/** Runs the statement in a transaction whose inserted rows carry the trace context. */
async function runTraced<Row extends object>(
  pool: Pool,
  statement: Statement,
  traceparent: string,
): Promise<Row[]> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query("BEGIN");
    await client.query(setTraceContext(traceparent));
    const { rows } = await client.query<Row>(statement);
    await client.query("COMMIT");
    return rows;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // Closes the connection after a failure, which ends the transaction.
    client.release(failure);
  }
}

/** Prisma prepares statements too, and names them itself. */
export const inTransaction =
  (tx: Tx): RunStatement =>
  (statement) =>
    tx.$queryRawUnsafe(statement.text, ...statement.values);

/**
 * Tables whose rows another process works on have a column `trace_context`. Its default is this setting of
 * the transaction, so every row that is inserted in a traced transaction continues the trace.
 */
export const setTraceContext = (traceparent: string) => ({
  text: "SELECT set_config('querybell.trace_context', $1, true)",
  values: [traceparent],
});
