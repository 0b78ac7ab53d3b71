import { AppError } from "@querybell/domain";
import type { Deps } from "../deps.ts";

// Reading a piece holds up the event loop for a few milliseconds: the driver gets it as hexadecimal text.
const pieceBytes = 1024 ** 2;

type Place = { organizationId: string } & (
  | { table: "query_results"; runId: string }
  | { table: "automation_results"; stepId: string }
);

/** The compressed bytes of a stored result in pieces, each read when it is asked for: only one is in memory. */
export async function* readStoredBytes(
  { db }: Pick<Deps, "db">,
  { organizationId, ...place }: Place,
): AsyncGenerator<Buffer> {
  const [key, id] = place.table === "query_results" ? ["run_id", place.runId] : ["step_id", place.stepId];
  for (let from = 1; ; from += pieceBytes) {
    const { rows } = await db.pool.query<{ piece: Buffer }>({
      name: `read_bytes_of_${place.table}`,
      text: `
        SELECT substring(gzipped_json FROM $3 FOR $4) AS piece FROM ${place.table}
        WHERE ${key} = $1 AND organization_id = $2`,
      values: [id, organizationId, from, pieceBytes],
    });
    const [row] = rows;
    if (!row) throw new AppError("result_expired", "A newer result has just replaced this one. Ask again.");
    if (row.piece.length > 0) yield row.piece;
    if (row.piece.length < pieceBytes) return;
  }
}
