import { activeTraceparent } from "@querybell/tracing";
import type { Database, Tx } from "./database.ts";
import { setTraceContext } from "./trace-context.ts";

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
  async <Row extends object>(statement: Statement) => {
    const traceparent = activeTraceparent();
    if (traceparent === undefined) return (await pool.query<Row>(statement)).rows;
    return runTraced<Row>(pool, statement, traceparent);
  };

/** In a transaction, whose inserted rows carry the context of the trace. */
async function runTraced<Row extends object>(
  pool: Database["pool"],
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

/** Statements of Prisma are prepared too, under a name of its own. */
export const inTransaction =
  (tx: Tx): RunStatement =>
  (statement) =>
    tx.$queryRawUnsafe(statement.text, ...statement.values);
