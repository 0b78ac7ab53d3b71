import type { Tx } from "@querybell/db";

/** Writing more than this at once would hold up the event loop: Prisma encodes bytes as text before it sends them. */
export const maxWrittenBytes = 4 * 1024 ** 2;

/** Writes the rest of a result whose first `maxWrittenBytes` are stored, in the same transaction. */
export async function appendBytes(tx: Tx, runId: string, gzippedJson: Uint8Array): Promise<void> {
  for (let from = maxWrittenBytes; from < gzippedJson.length; from += maxWrittenBytes) {
    const piece = gzippedJson.slice(from, from + maxWrittenBytes);
    await tx.$executeRaw`
      UPDATE query_results SET gzipped_json = gzipped_json || ${piece} WHERE run_id = ${runId}::uuid`;
  }
}
