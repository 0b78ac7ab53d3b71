import { AppError, type Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { zipAgain } from "../past-results/chain-bytes.ts";
import { readPastJson } from "../past-results/read-past-result.ts";
import { ByteCache } from "./byte-cache.ts";

/** The published JSON of a result, compressed with gzip. */
export interface StoredBytes {
  byteCount: number;
  /** All of it, if it has one piece. */
  whole: Buffer | undefined;
  /** Read on demand, so that slow readers use no memory. Throws if the result is replaced during reading. */
  pieces: AsyncIterable<Buffer>;
}

/**
 * A cache of small results, for each database. It cannot be stale: the result of a run never changes, and the
 * caller finds the current run before its bytes are read. Without it, most of a request is the driver's
 * decoding.
 */
const recentResults = new WeakMap<Deps["db"]["pool"], ByteCache>();
const maxRecentBytes = 32 * 1024 ** 2;

export async function readResult(
  deps: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  { runId }: { runId: string },
): Promise<StoredBytes> {
  const { pool } = deps.db;
  const recent = recentResults.get(pool) ?? new ByteCache(maxRecentBytes);
  recentResults.set(pool, recent);
  const key = `${organizationId} ${runId}`;
  const known = recent.get(key);
  if (known) return toStoredBytes(known);
  const { rows } = await pool.query<{ byteCount: number; first: Buffer }>({
    name: "read_result",
    text: `
      SELECT octet_length(gzipped_json) AS "byteCount", substring(gzipped_json FROM 1 FOR ${pieceBytes}) AS first
      FROM query_results WHERE run_id = $1 AND organization_id = $2`,
    values: [runId, organizationId],
  });
  const [row] = rows;
  if (!row) {
    // A newer one has replaced it. It may be kept as history.
    const past = await zipAgain(await readPastJson(deps, { organizationId }, { runId }));
    if (past.length <= pieceBytes) recent.set(key, past);
    return toStoredBytes(past);
  }
  const { byteCount, first } = row;
  const whole = byteCount === first.length ? first : undefined;
  if (whole) recent.set(key, whole);
  const pieces = readStoredBytes(deps, { table: "query_results", organizationId, runId, first });
  return { byteCount, whole, pieces };
}

export const toStoredBytes = (whole: Buffer): StoredBytes => ({
  byteCount: whole.length,
  whole,
  pieces: inMemory(whole),
});

/** Bytes that were read before, as if they were read now. */
export async function* inMemory(whole: Buffer): AsyncGenerator<Buffer> {
  yield whole;
}

/**
 * A compressed result of at most so many bytes is read with its row, and an automation run previews, describes and judges
 * it from memory. A run has at most 500 of them.
 */
export const smallBytes = 16 * 1024;

// Reading a piece blocks the event loop for a few milliseconds, because the driver decodes hexadecimal text.
const pieceBytes = 1024 ** 2;

/** `first` is the first piece, if it was read before. */
type StoredBytesKey = { organizationId: string; first?: Buffer } & (
  | { table: "query_results"; runId: string }
  | { table: "automation_results"; stepId: string }
  | { table: "automation_condition_bases"; conditionId: string }
);

function toKey(key: StoredBytesKey): [column: string, id: string] {
  switch (key.table) {
    case "query_results":
      return ["run_id", key.runId];
    case "automation_results":
      return ["step_id", key.stepId];
    case "automation_condition_bases":
      return ["condition_id", key.conditionId];
  }
}

/** Yields the compressed bytes of a stored result in pieces, read on demand: only one piece is in memory. */
export async function* readStoredBytes(
  { db }: Pick<Deps, "db">,
  key: StoredBytesKey,
): AsyncGenerator<Buffer> {
  const { organizationId, first, table } = key;
  const [column, id] = toKey(key);
  if (first) {
    yield first;
    if (first.length < pieceBytes) return;
  }
  for (let from = first ? 1 + pieceBytes : 1; ; from += pieceBytes) {
    const { rows } = await db.pool.query<{ piece: Buffer }>({
      name: `read_bytes_of_${table}`,
      text: `
        SELECT substring(gzipped_json FROM $3 FOR $4) AS piece FROM ${table}
        WHERE ${column} = $1 AND organization_id = $2`,
      values: [id, organizationId, from, pieceBytes],
    });
    const [row] = rows;
    if (!row) throw new AppError("result_expired", "A newer result has just replaced this one. Ask again.");
    if (row.piece.length > 0) yield row.piece;
    if (row.piece.length < pieceBytes) return;
  }
}
