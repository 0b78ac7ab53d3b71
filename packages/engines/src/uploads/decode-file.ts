import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import type { FileReading } from "@querybell/domain/file-reading";
import { toStorable } from "@querybell/domain/text";
import { openZip, refuseDocument } from "./excel/zip-archive.ts";
import { refuseOtherKinds } from "./other-kinds.ts";
import { type OpenQuestion, type UploadedFile, UploadRefused } from "./upload-tasks.ts";

type Encoding = NonNullable<FileReading["encoding"]>;

const chunkBytes = 1024 ** 2;
const mebibyte = 1024 ** 2;
const guessedEncoding = "windows-1252";
const shownLineLength = 60;

/** A text file in UTF-8 that DuckDB can read: the uploaded file, or what was written from it. */
export interface DecodedFile {
  path: string;
  encoding: Encoding;
  /** Set if the encoding is a guess. */
  question?: OpenQuestion;
}

/** Unpacks a file that is packed with gzip, whatever its name is. */
export async function unpackFile(file: UploadedFile, target: string): Promise<UploadedFile> {
  const start = await readStart(file.path, 2);
  if (start[0] !== 0x1f || start[1] !== 0x8b) return file;
  const packed = createReadStream(file.path, { highWaterMark: chunkBytes });
  const unpacked = createGunzip({ chunkSize: chunkBytes });
  packed.on("error", (error) => unpacked.destroy(error)).pipe(unpacked);
  try {
    await writeChunks(target, unpacked, file.maxUnpackedBytes);
  } catch (error) {
    if (error instanceof UploadRefused || isSystemError(error)) throw error;
    throw unreadable(
      "The file is packed with gzip, and a part of it is damaged or missing. Pack it again, and upload it again.",
    );
  } finally {
    packed.destroy();
    unpacked.destroy();
  }
  return { ...file, path: target };
}

const isSystemError = (error: unknown): boolean =>
  error instanceof Error && "syscall" in error && error.syscall !== undefined;

/** Finds the encoding of a text file, and writes the file in UTF-8 if it has another one. */
export async function decodeFile(
  file: UploadedFile,
  asked: Encoding | undefined,
  target: string,
): Promise<DecodedFile> {
  const start = await readStart(file.path, 512);
  if (isZip(start)) throw await describeArchive(file.path);
  refuseOtherKinds(start);
  const found = await findEncoding(file.path);
  if (found.encoding === "utf-8") return { path: file.path, encoding: "utf-8" };
  if (found.encoding === undefined && asked === "utf-8") {
    throw unreadable(
      `Line ${found.line} is not UTF-8. Choose another encoding, or save the file as UTF-8 and upload it again.`,
    );
  }
  const encoding = found.encoding ?? asked ?? guessedEncoding;
  await writeChunks(target, decoded(file.path, encoding), file.maxUnpackedBytes);
  const isGuess = found.encoding === undefined && asked === undefined;
  return {
    path: target,
    encoding,
    ...(isGuess && { question: await describeGuess(file.path, found) }),
  };
}

async function* decoded(path: string, encoding: Encoding): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of readChunks(path)) yield Buffer.from(decoder.decode(chunk, { stream: true }));
    yield Buffer.from(decoder.decode());
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw unreadable(
      `The file has bytes that are no text in ${encoding}. Choose another encoding, or save the file as UTF-8 and upload it again.`,
    );
  }
}

const isZip = (start: Buffer): boolean => start.subarray(0, 4).equals(Buffer.from("PK\x03\x04"));

/** What a zip archive is that is taken for text. */
async function describeArchive(path: string): Promise<UploadRefused> {
  const archive = await openZip(path, 0).catch(() => undefined);
  if (archive) refuseDocument(archive);
  return unreadable(
    archive?.has("xl/workbook.xml")
      ? "The file is an Excel file. Give it a name that ends in .xlsx, and upload it again."
      : "The file is a zip archive. Unpack it, and upload what is in it. An Excel file must have a name that ends in .xlsx.",
  );
}

/** An encoding that is certain. Otherwise the place of the first bytes that are not UTF-8. */
type FoundEncoding = { encoding: Encoding } | { encoding: undefined; line: number; offset: number };

async function findEncoding(path: string): Promise<FoundEncoding> {
  const start = await readStart(path, 4096);
  if (start[0] === 0xff && start[1] === 0xfe) return { encoding: "utf-16le" };
  if (start[0] === 0xfe && start[1] === 0xff) return { encoding: "utf-16be" };
  const withoutMark = looksLikeUtf16(start);
  if (withoutMark) return { encoding: withoutMark };
  let offset = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of readChunks(path)) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    const end = endOfLastCharacter(bytes);
    if (!isUtf8(bytes.subarray(0, end))) return faultAt(path, offset + findFault(bytes));
    offset += end;
    rest = bytes.subarray(end);
  }
  return rest.length === 0 ? { encoding: "utf-8" } : faultAt(path, offset);
}

async function faultAt(path: string, offset: number): Promise<FoundEncoding> {
  let [line, at] = [1, 0];
  for await (const chunk of readChunks(path)) {
    line += countBreaks(chunk.subarray(0, Math.max(0, offset - at)));
    at += chunk.length;
    if (at >= offset) break;
  }
  return { encoding: undefined, line, offset };
}

/** Finds UTF-16 without a mark. Separators, digits and Latin letters have a zero in it, and UTF-8 has none. */
function looksLikeUtf16(start: Buffer): "utf-16le" | "utf-16be" | undefined {
  const bytes = start.subarray(0, start.length - (start.length % 2));
  const [even, odd] = countZeros(bytes);
  if (even + odd === 0 || bytes.length < 4) return undefined;
  // A text in UTF-8 can have zeros, too, but at any place.
  const areOnOneSide = Math.min(even, odd) === 0 && even + odd > bytes.length * 0.2;
  if (!areOnOneSide && isUtf8Start(start)) return undefined;
  const [little, big] = [countLatin(bytes, "utf-16le"), countLatin(bytes, "utf-16be")];
  if (Math.max(little, big) * 100 < bytes.length) return undefined;
  return little > big ? "utf-16le" : "utf-16be";
}

const noText = /[\p{Cn}\p{Co}\p{Cs}\ufffd]|[^\P{Cc}\t\r\n]/u;

/** Whether bytes are text of UTF-8, apart from zeros. */
function isUtf8Start(start: Buffer): boolean {
  const breaks = [0x09, 0x0a, 0x0d];
  const areOfText = start.every((byte) => byte >= 0x20 || byte === 0 || breaks.includes(byte));
  return areOfText && isUtf8(start.subarray(0, endOfLastCharacter(start)));
}

/** The characters of ASCII that bytes are in an encoding. 0 if some of them are no characters of a text. */
function countLatin(bytes: Buffer, encoding: "utf-16le" | "utf-16be"): number {
  const text = new TextDecoder(encoding).decode(bytes, { stream: true });
  return noText.test(text) ? 0 : [...text].filter((character) => character < "\x80").length;
}

function countZeros(bytes: Buffer): [even: number, odd: number] {
  const zeros: [number, number] = [0, 0];
  for (let at = bytes.indexOf(0); at !== -1; at = bytes.indexOf(0, at + 1)) zeros[at % 2 === 0 ? 0 : 1]++;
  return zeros;
}

/** The end of the last whole character: a chunk can end within one. */
function endOfLastCharacter(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The position of the first bytes that are not UTF-8. */
function findFault(bytes: Buffer): number {
  let [good, bad] = [0, bytes.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    // A character that is cut in the middle is none of the faults.
    if (isUtf8(bytes.subarray(0, endOfLastCharacter(bytes.subarray(0, middle))))) good = middle;
    else bad = middle;
  }
  return good;
}

/** The number of line feeds or, if there are none, of carriage returns. */
function countBreaks(bytes: Buffer): number {
  for (const separator of [0x0a, 0x0d]) {
    let breaks = 0;
    for (let at = bytes.indexOf(separator); at !== -1; at = bytes.indexOf(separator, at + 1)) breaks++;
    if (breaks > 0) return breaks;
  }
  return 0;
}

async function describeGuess(
  path: string,
  { line, offset }: { line: number; offset: number },
): Promise<OpenQuestion> {
  const from = Math.max(0, offset - shownLineLength);
  const around = new TextDecoder(guessedEncoding).decode(await readStart(path, shownLineLength * 2, from));
  const [before = "", after = ""] = [
    around
      .slice(0, offset - from)
      .split(/[\r\n]/)
      .at(-1),
    around.slice(offset - from).split(/[\r\n]/)[0],
  ];
  return {
    about: "encoding",
    message: `Line ${line} is not UTF-8. In ${guessedEncoding} (Western Europe) it reads “${toStorable(`${before}${after.slice(0, shownLineLength)}`)}”. Send encoding: ${guessedEncoding}, or the one that the file was saved in.`,
  };
}

/** The first bytes of a file, or some from a later position. */
export async function readStart(path: string, length: number, from = 0): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

export const readChunks = (path: string, start = 0): AsyncIterable<Buffer> =>
  createReadStream(path, { start, highWaterMark: chunkBytes });

/** Writes a file of at most so many bytes. */
export async function writeChunks(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<void> {
  const file: FileHandle = await open(path, "w", 0o600);
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
}

const tooLarge = (maxBytes: number) =>
  unreadable(
    `The file has more than ${Math.floor(maxBytes / mebibyte)} MiB when it is unpacked and in UTF-8. Split it into several files, and append them.`,
  );

const unreadable = (message: string) => new UploadRefused("unreadable", message);
