import { AppError, type Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { pieceBytes, readStoredBytes } from "./stored-bytes.ts";

/** The published JSON of a result, compressed with gzip. */
export interface StoredBytes {
  byteCount: number;
  /** All of it, if it has one piece. */
  whole: Buffer | undefined;
  /** Read on demand, so that slow readers use no memory. Throws if the result is replaced during reading. */
  pieces: AsyncIterable<Buffer>;
}

export async function readResult(
  deps: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  { runId }: { runId: string },
): Promise<StoredBytes> {
  const { rows } = await deps.db.pool.query<{ byteCount: number; first: Buffer }>({
    name: "read_result",
    text: `
      SELECT octet_length(gzipped_json) AS "byteCount", substring(gzipped_json FROM 1 FOR ${pieceBytes}) AS first
      FROM query_results WHERE run_id = $1 AND organization_id = $2`,
    values: [runId, organizationId],
  });
  const [row] = rows;
  if (!row) throw new AppError("result_expired", "A newer result has just replaced this one. Ask again.");
  const { byteCount, first } = row;
  const pieces = readStoredBytes(deps, { table: "query_results", organizationId, runId, first });
  return { byteCount, whole: byteCount === first.length ? first : undefined, pieces };
}
