import type { Deps } from "@querybell/core";

/** What the statements of one operation cost in Postgres, with their functions, triggers and foreign keys. */
export interface Cost {
  /** Pages of tables and indexes that were touched. The same on every machine. */
  pages: number;
  milliseconds: number;
}

interface Measured {
  /** A part of the text of the operation's statements. */
  statement: string;
  /** How many operations were done. */
  operations: number;
}

/** Does the work, and returns what each of the named operations in it cost. */
export async function measureStatements<Name extends string>(
  { db: { pool } }: Pick<Deps, "db">,
  operations: Record<Name, Measured>,
  work: () => Promise<unknown>,
): Promise<[Name, Cost][]> {
  await pool.query("SELECT pg_stat_statements_reset()");
  await work();
  const { rows } = await pool.query<Cost & { text: string }>(
    `SELECT query AS text, (shared_blks_hit + shared_blks_read)::float AS pages, total_exec_time AS milliseconds
     FROM pg_stat_statements WHERE query !~ 'pg_stat_statements'`,
  );
  return Object.entries<Measured>(operations).map(([name, { statement, operations: count }]) => {
    const found = rows.filter(({ text }) => text.includes(statement));
    if (found.length === 0) throw new Error(`No statement of "${name}" was sent.`);
    const sum = (of: keyof Cost) => found.reduce((total, row) => total + row[of], 0) / count;
    return [name as Name, { pages: sum("pages"), milliseconds: sum("milliseconds") }];
  });
}
