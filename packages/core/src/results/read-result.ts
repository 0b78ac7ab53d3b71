import { AppError, type Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** The stored bytes of a result: the published JSON, compressed with gzip. */
export async function readResult(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  { runId }: { runId: string },
): Promise<Buffer> {
  const { rows } = await db.pool.query<{ gzippedJson: Buffer }>({
    name: "read_result",
    text: `
      SELECT gzipped_json AS "gzippedJson" FROM query_results
      WHERE run_id = $1 AND organization_id = $2`,
    values: [runId, organizationId],
  });
  const [row] = rows;
  if (!row) throw new AppError("result_expired", "A newer result has just replaced this one. Ask again.");
  return row.gzippedJson;
}
