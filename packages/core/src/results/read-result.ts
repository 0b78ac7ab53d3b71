import { AppError, type Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { ByteCache } from "./byte-cache.ts";
import { pieceBytes, readStoredBytes } from "./stored-bytes.ts";

/** The published JSON of a result, compressed with gzip. */
export interface StoredBytes {
  byteCount: number;
  /** All of it, if it has one piece. */
  whole: Buffer | undefined;
  /** Read on demand, so that slow readers use no memory. Throws if the result is replaced during reading. */
  pieces: AsyncIterable<Buffer>;
}

/**
 * Small results that were read last, for each database. The result of a run never changes, and a caller has been told
 * which run's result is current before its bytes are read. Without it, most of a request is the driver's decoding.
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
  if (known) return { byteCount: known.length, whole: known, pieces: toPieces(known) };
  const { rows } = await pool.query<{ byteCount: number; first: Buffer }>({
    name: "read_result",
    text: `
      SELECT octet_length(gzipped_json) AS "byteCount", substring(gzipped_json FROM 1 FOR ${pieceBytes}) AS first
      FROM query_results WHERE run_id = $1 AND organization_id = $2`,
    values: [runId, organizationId],
  });
  const [row] = rows;
  if (!row) throw new AppError("result_expired", "A newer result has just replaced this one. Ask again.");
  const { byteCount, first } = row;
  const whole = byteCount === first.length ? first : undefined;
  if (whole) recent.set(key, whole);
  const pieces = readStoredBytes(deps, { table: "query_results", organizationId, runId, first });
  return { byteCount, whole, pieces };
}

async function* toPieces(whole: Buffer): AsyncGenerator<Buffer> {
  yield whole;
}
