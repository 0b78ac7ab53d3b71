import type { Tx } from "@querybell/db";

/** Larger writes would block the event loop, because Prisma encodes bytes as text before it sends them. */
export const maxWrittenBytes = 4 * 1024 ** 2;

/** Appends the bytes after the first `maxWrittenBytes`, which are stored already. Use the same transaction. */
export async function appendBytes(tx: Tx, runId: string, gzippedJson: Uint8Array): Promise<void> {
  for (let from = maxWrittenBytes; from < gzippedJson.length; from += maxWrittenBytes) {
    const piece = gzippedJson.slice(from, from + maxWrittenBytes);
    await tx.$executeRaw`
      UPDATE query_results SET gzipped_json = gzipped_json || ${piece} WHERE run_id = ${runId}::uuid`;
  }
}
