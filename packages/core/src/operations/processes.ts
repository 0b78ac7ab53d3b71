import { asService } from "@querybell/db";
import type { ProcessKind, RunningProcess } from "@querybell/domain";
import type { Deps } from "../deps.ts";

interface RecordedProcess {
  id: string;
  kind: Exclude<ProcessKind, "public">;
  version: string;
  host: string;
  startedAt: Date;
  disk: { freeBytes: number; sizeBytes: number } | null;
}

// As for heartbeats of workers: now(), and not querybell_now(), which tests move.

/** Records that a process runs, and deletes the rows of processes that ended without a word a day ago. */
export async function recordProcess({ db }: Pick<Deps, "db">, process: RecordedProcess): Promise<void> {
  const { id, kind, version, host, startedAt, disk } = process;
  await asService(() =>
    db.pool.query({
      name: "record_process",
      text: `
        WITH outdated AS (DELETE FROM processes WHERE seen_at < now() - interval '1 day' AND id <> $1)
        INSERT INTO processes (id, kind, version, host, started_at, seen_at, disk_free_bytes, disk_size_bytes)
        VALUES ($1, $2, $3, $4, $5, now(), $6, $7)
        ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at,
          disk_free_bytes = excluded.disk_free_bytes, disk_size_bytes = excluded.disk_size_bytes`,
      values: [id, kind, version, host, startedAt, disk?.freeBytes ?? null, disk?.sizeBytes ?? null],
    }),
  );
}

/** Records that a process has stopped. */
export async function removeProcess({ db }: Pick<Deps, "db">, { id }: { id: string }): Promise<void> {
  await asService(() =>
    db.pool.query({ name: "remove_process", text: "DELETE FROM processes WHERE id = $1", values: [id] }),
  );
}

type Row = Omit<RunningProcess, "startedAt" | "seenAt" | "disk"> & {
  startedAt: Date;
  seenAt: Date;
  freeBytes: number | null;
  sizeBytes: number | null;
};

/** The processes of the last day that have not stopped. A public process can make up to 100 rows. */
export async function listProcesses({ db }: Pick<Deps, "db">): Promise<RunningProcess[]> {
  const { rows } = await db.pool.query<Row>({
    name: "list_processes",
    text: `
      SELECT kind, version, host, started_at AS "startedAt", seen_at AS "seenAt",
        seen_at > now() - interval '30 seconds' AS "isAlive",
        disk_free_bytes::float8 AS "freeBytes", disk_size_bytes::float8 AS "sizeBytes"
      FROM processes ORDER BY array_position(ARRAY['api', 'worker', 'public'], kind), started_at, id LIMIT 1000`,
  });
  return rows.map(({ kind, version, host, startedAt, seenAt, isAlive, freeBytes, sizeBytes }) => ({
    ...{ kind, version, host, isAlive },
    startedAt: startedAt.toISOString(),
    seenAt: seenAt.toISOString(),
    disk: freeBytes === null || sizeBytes === null ? null : { freeBytes, sizeBytes },
  }));
}
