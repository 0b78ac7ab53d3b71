import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createInflateRaw } from "node:zlib";
import { UploadRefused } from "../upload-tasks.ts";

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
const endBytes = 22;
const entryBytes = 46;
const localBytes = 30;
const maxCommentBytes = 0xffff;
const maxDirectoryBytes = 4 * 1024 ** 2;
const stored = 0;
const deflated = 8;
const isEncrypted = 1;
/** A size or an offset that does not fit into 32 bits: it is in the extra field with this number. */
const elsewhere = 0xffffffff;
const largeNumbersField = 1;
const chunkBytes = 256 * 1024;

interface Entry {
  method: number;
  flags: number;
  packedBytes: number;
  offset: number;
}

/** A zip archive of which single files are read. */
export interface ZipArchive {
  has(name: string): boolean;
  /** The content of a file in it. Throws `UploadRefused` where there is none, or more than `maxBytes`. */
  read(name: string): AsyncGenerator<Buffer>;
}

/** Opens an archive whose files, as far as they are read, have at most so many bytes together. */
export async function openZip(path: string, maxBytes: number): Promise<ZipArchive> {
  const file = await open(path);
  let entries: Map<string, Entry>;
  try {
    entries = await readDirectory(file);
  } finally {
    await file.close();
  }
  let unpackedBytes = 0;
  return {
    has: (name) => entries.has(name),
    async *read(name) {
      const entry = entries.get(name);
      if (!entry) throw damaged();
      for await (const chunk of unpack(path, entry)) {
        unpackedBytes += chunk.length;
        if (unpackedBytes > maxBytes) throw tooLarge(maxBytes);
        yield chunk;
      }
    },
  };
}

/** Refuses other files of an office program, which are such archives too. */
export function refuseDocument(archive: ZipArchive): void {
  const documents = new Map([
    ["word/document.xml", "a Word document"],
    ["ppt/presentation.xml", "a presentation"],
    ["content.xml", "an OpenDocument file"],
  ]);
  for (const [part, name] of documents) {
    if (archive.has(part)) {
      throw refused(`The file is ${name}. Save its table as CSV or Excel (.xlsx), and upload that.`);
    }
  }
}

async function readDirectory(file: FileHandle): Promise<Map<string, Entry>> {
  const { size } = await file.stat();
  const tail = await readAt(file, Math.max(0, size - endBytes - maxCommentBytes), endBytes + maxCommentBytes);
  const end = findEnd(tail);
  if (end === undefined) throw damaged();
  const [directoryBytes, offset] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)];
  if (directoryBytes > maxDirectoryBytes || offset + directoryBytes > size) throw damaged();
  const directory = await readAt(file, offset, directoryBytes);
  const entries = new Map<string, Entry>();
  for (let at = 0; at + entryBytes <= directory.length; ) {
    if (directory.readUInt32LE(at) !== entrySignature) throw damaged();
    const nameLength = directory.readUInt16LE(at + 28);
    const name = directory.toString("utf8", at + entryBytes, at + entryBytes + nameLength);
    const extraLength = directory.readUInt16LE(at + 30);
    const extra = directory.subarray(
      at + entryBytes + nameLength,
      at + entryBytes + nameLength + extraLength,
    );
    const [, packedBytes = 0, position = 0] = readNumbers(
      [directory.readUInt32LE(at + 24), directory.readUInt32LE(at + 20), directory.readUInt32LE(at + 42)],
      extra,
    );
    if (position + packedBytes > size) throw damaged();
    // Names differ in case and in their slashes between the programs that write such files.
    entries.set(toKey(name), {
      flags: directory.readUInt16LE(at + 8),
      method: directory.readUInt16LE(at + 10),
      packedBytes,
      offset: position,
    });
    at += entryBytes + nameLength + extraLength + directory.readUInt16LE(at + 32);
  }
  return entries;
}

/** The unpacked bytes, the packed bytes and the offset of a file. Those that are too large are in the extra field, in order. */
function readNumbers(numbers: number[], extra: Buffer): number[] {
  let at = 0;
  while (at + 4 <= extra.length && extra.readUInt16LE(at) !== largeNumbersField) {
    at += 4 + extra.readUInt16LE(at + 2);
  }
  at += 4;
  return numbers.map((number) => {
    if (number !== elsewhere) return number;
    if (at + 8 > extra.length) throw damaged();
    const large = Number(extra.readBigUInt64LE(at));
    at += 8;
    return large;
  });
}

/** The form in which names are looked up. */
export const toKey = (name: string): string => name.replaceAll("\\", "/").replace(/^\//, "").toLowerCase();

function findEnd(tail: Buffer): number | undefined {
  for (let at = tail.length - endBytes; at >= 0; at--) {
    if (tail.readUInt32LE(at) === endSignature) return at;
  }
  return undefined;
}

async function* unpack(path: string, entry: Entry): AsyncGenerator<Buffer> {
  if ((entry.flags & isEncrypted) !== 0) {
    throw refused("The file has a password. Save it without one, and upload it again.");
  }
  if (entry.packedBytes === 0) return;
  const file = await open(path);
  let start: number;
  try {
    const local = await readAt(file, entry.offset, localBytes);
    if (local.length < localBytes || local.readUInt32LE(0) !== localSignature) throw damaged();
    start = entry.offset + localBytes + local.readUInt16LE(26) + local.readUInt16LE(28);
  } finally {
    await file.close();
  }
  const packed = createReadStream(path, {
    start,
    end: start + entry.packedBytes - 1,
    highWaterMark: chunkBytes,
  });
  if (entry.method === stored) {
    yield* packed as AsyncIterable<Buffer>;
    return;
  }
  if (entry.method !== deflated) throw damaged();
  const unpacked = createInflateRaw({ chunkSize: chunkBytes });
  packed.on("error", (error) => unpacked.destroy(error)).pipe(unpacked);
  try {
    yield* unpacked as AsyncIterable<Buffer>;
  } catch (error) {
    // Errors of zlib have a number.
    throw error instanceof Error && "errno" in error && !("syscall" in error) ? damaged() : error;
  } finally {
    packed.destroy();
    unpacked.destroy();
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

const refused = (message: string) => new UploadRefused("unreadable", message);

export const damaged = () =>
  refused(
    "The file is not an Excel file (.xlsx), or a part of it is damaged or missing. Open it in Excel, save it again as .xlsx, and upload that.",
  );

const tooLarge = (maxBytes: number) =>
  refused(
    `The Excel file has more than ${Math.floor(maxBytes / 1024 ** 2)} MiB when it is unpacked. Save the sheet as CSV, or split it into several files and append them.`,
  );
