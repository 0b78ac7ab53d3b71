import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable, Transform, type TransformCallback } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandError } from "../command-error.ts";
import { type ArchiveFile, manifestFile } from "./manifest.ts";

/** Counts and hashes what passes through it. */
class Meter extends Transform {
  readonly #hash = createHash("sha256");
  #bytes = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    done(null, chunk);
  }

  result(): Pick<ArchiveFile, "bytes" | "sha256"> {
    return { bytes: this.#bytes, sha256: this.#hash.digest("hex") };
  }
}

/** Writes a new file, readable by its owner only, flushed to the disk. */
export async function writeFileFrom(
  path: string,
  source: NodeJS.ReadableStream,
  ...steps: NodeJS.ReadWriteStream[]
): Promise<Pick<ArchiveFile, "bytes" | "sha256">> {
  const meter = new Meter();
  const file = createWriteStream(path, { flags: "wx", mode: 0o600, flush: true });
  await pipeline([source, ...steps, meter, file]);
  return meter.result();
}

/** Copies a file. Nothing is written if there is none to read. */
export async function copyFile(from: string, to: string): Promise<Pick<ArchiveFile, "bytes" | "sha256">> {
  const file = await open(from);
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  return await writeFileFrom(to, file.createReadStream());
}

export async function writeManifest(folder: string, manifest: object): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 1)}\n`;
  await writeFileFrom(join(folder, manifestFile), Readable.from([Buffer.from(text)]));
}

/** Flushes the entries of a folder to the disk, so that a rename in it survives a power cut. */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Whether a file has this content. */
export async function hasContent(path: string, { bytes, sha256 }: ArchiveFile): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile() || found.size !== bytes) return false;
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex") === sha256;
}

/** Throws if a file of the archive is missing or was changed since it was written. */
export async function verifyFiles(folder: string, files: readonly ArchiveFile[]): Promise<void> {
  for (const file of files) {
    if (await hasContent(join(folder, file.path), file)) continue;
    throw new CommandError(
      `The backup in ${folder} is damaged: ${file.path} is missing or was changed. Copy it again, or use another backup.`,
    );
  }
}
