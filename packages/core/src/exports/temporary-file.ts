import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Writes what an archive needs the size of in advance. The file is deleted once it is read. */
export async function writeTemporaryFile(
  folder: string,
  content: AsyncIterable<Uint8Array | string>,
): Promise<{ size: number; content: AsyncGenerator<Uint8Array> }> {
  const path = join(folder, `${randomUUID()}.part`);
  try {
    await pipeline(
      Readable.from(content, { objectMode: false }),
      createWriteStream(path, { flags: "wx", mode: 0o600 }),
    );
    return { size: (await stat(path)).size, content: readAndDelete(path) };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function* readAndDelete(path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path);
  } finally {
    await rm(path, { force: true });
  }
}
