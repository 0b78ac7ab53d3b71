import type { Deps } from "@querybell/core";
import { listAppliedMigrations, withBaseline } from "@querybell/prisma";
import type { Sequence, TableName } from "./manifest.ts";

export type Queryable = Pick<Deps["db"]["pool"], "query">;

/** Our tables and those of the job queue. */
const schemas = "'public', 'graphile_worker'";
/** Written by the migrations themselves. */
const written = "('public._prisma_migrations', 'graphile_worker.migrations')";

interface DescribedTable extends TableName {
  /** Without generated columns, which follow from the others. */
  columns: string[];
}

/** The tables whose rows are backed up. */
export async function listTables(database: Queryable): Promise<DescribedTable[]> {
  const { rows } = await database.query<DescribedTable>(`
    SELECT n.nspname AS schema, c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE n.nspname IN (${schemas}) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND n.nspname || '.' || c.relname NOT IN ${written}
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
    GROUP BY 1, 2 ORDER BY 1, 2`);
  return rows;
}

/** The sequences. Read after the rows, so that no number is given again. */
export async function listSequences(database: Queryable): Promise<Sequence[]> {
  const { rows } = await database.query<TableName>(
    `SELECT schemaname AS schema, sequencename AS name FROM pg_sequences WHERE schemaname IN (${schemas}) ORDER BY 1, 2`,
  );
  const sequences: Sequence[] = [];
  for (const sequence of rows) {
    const { rows: values } = await database.query<Pick<Sequence, "lastValue" | "isCalled">>(
      `SELECT last_value::text AS "lastValue", is_called AS "isCalled" FROM ${quote(sequence)}`,
    );
    sequences.push(...values.map((value) => ({ ...sequence, ...value })));
  }
  return sequences;
}

/** The applied migrations: ours, and those of the job queue. */
export async function listApplied(
  database: Queryable,
): Promise<{ migrations: string[]; jobQueueMigrations: number[] }> {
  const migrations = withBaseline(await listAppliedMigrations(database));
  // Ours are applied first. If that process was killed in between, there are none of the job queue.
  const { rows: known } = await database.query<{ exists: boolean }>(
    "SELECT to_regclass('graphile_worker.migrations') IS NOT NULL AS exists",
  );
  const { rows: queue } = known[0]?.exists
    ? await database.query<{ id: number }>("SELECT id FROM graphile_worker.migrations ORDER BY id")
    : { rows: [] };
  return { migrations, jobQueueMigrations: queue.map(({ id }) => id) };
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const quote = ({ schema, name }: TableName): string => `${quoteName(schema)}.${quoteName(name)}`;
