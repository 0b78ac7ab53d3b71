import { AppError } from "@querybell/domain";
import type { Deps } from "../deps.ts";

// Reading a piece blocks the event loop for a few milliseconds, because the driver decodes hexadecimal text.
export const pieceBytes = 1024 ** 2;

/** `first` is the first piece, if it was read before. */
type StoredBytesKey = { organizationId: string; first?: Buffer } & (
  | { table: "query_results"; runId: string }
  | { table: "automation_results"; stepId: string }
);

/** Yields the compressed bytes of a stored result in pieces, read on demand: only one piece is in memory. */
export async function* readStoredBytes(
  { db }: Pick<Deps, "db">,
  { organizationId, first, ...key }: StoredBytesKey,
): AsyncGenerator<Buffer> {
  const [column, id] = key.table === "query_results" ? ["run_id", key.runId] : ["step_id", key.stepId];
  if (first) {
    yield first;
    if (first.length < pieceBytes) return;
  }
  for (let from = first ? 1 + pieceBytes : 1; ; from += pieceBytes) {
    const { rows } = await db.pool.query<{ piece: Buffer }>({
      name: `read_bytes_of_${key.table}`,
      text: `
        SELECT substring(gzipped_json FROM $3 FOR $4) AS piece FROM ${key.table}
        WHERE ${column} = $1 AND organization_id = $2`,
      values: [id, organizationId, from, pieceBytes],
    });
    const [row] = rows;
    if (!row) throw new AppError("result_expired", "A newer result has just replaced this one. Ask again.");
    if (row.piece.length > 0) yield row.piece;
    if (row.piece.length < pieceBytes) return;
  }
}
