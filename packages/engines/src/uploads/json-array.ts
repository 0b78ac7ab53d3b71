import { readChunks, readStart } from "./decode-file.ts";
import { UploadRefused } from "./upload-tasks.ts";

const byteOrderMark = Buffer.from("\ufeff");
export const byteOrderMarkLength = byteOrderMark.length;
const [space, tab, lineFeed, carriageReturn] = [0x20, 0x09, 0x0a, 0x0d];
const [comma, quote, backslash] = [0x2c, 0x22, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

const isSpace = (byte: number): boolean =>
  byte === space || byte === lineFeed || byte === carriageReturn || byte === tab;

interface JsonLayout {
  /** Whether the file is one list of objects. Otherwise objects follow each other. */
  isList: boolean;
  hasByteOrderMark: boolean;
}

export async function readJsonLayout(path: string): Promise<JsonLayout> {
  const start = await readStart(path, 4096);
  const hasByteOrderMark = start.indexOf(byteOrderMark) === 0;
  const first = start.subarray(hasByteOrderMark ? byteOrderMarkLength : 0).find((byte) => !isSpace(byte));
  return { isList: first === openList, hasByteOrderMark };
}

/** The objects of a JSON file, each on a line. The other bytes stay, so it needs no memory beyond a chunk. */
export async function* toJsonLines(
  path: string,
  { isList, hasByteOrderMark }: JsonLayout,
): AsyncGenerator<Uint8Array> {
  // In a list, objects are one level deeper.
  const top = isList ? 1 : 0;
  let [depth, elements] = [0, 0];
  let [isInText, isEscaped, hasValue, hasEnded] = [false, false, false, false];
  for await (const chunk of readChunks(path, hasByteOrderMark ? byteOrderMarkLength : 0)) {
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isInText = false;
        continue;
      }
      if (isSpace(byte)) {
        // Between objects, a line ends; within one, it does not.
        chunk[at] = depth === top && !isList ? lineFeed : space;
        continue;
      }
      if (hasEnded)
        throw refused("The file has text after the end of its list. Remove it, and upload the file again.");
      if (isList && depth === 0) {
        depth = 1;
        chunk[at] = space;
        continue;
      }
      if (isList && depth === 1 && (byte === comma || byte === closeList)) {
        hasEnded = byte === closeList;
        if (!hasValue && (!hasEnded || elements > 0)) {
          throw refused(
            `Nothing is between two commas after element ${elements} of the list. Correct it, and upload the file again.`,
          );
        }
        if (hasValue) elements++;
        hasValue = false;
        chunk[at] = lineFeed;
        continue;
      }
      hasValue = true;
      if (byte === quote) isInText = true;
      else if (byte === openList || byte === openObject) depth++;
      else if (byte === closeList || byte === closeObject) depth--;
      if (depth < top)
        throw refused(
          `Element ${elements + 1} of the file has a bracket that was not opened. Correct it, and upload the file again.`,
        );
    }
    yield chunk;
  }
  if (isList && !hasEnded) {
    throw refused("The list in the file is not closed: its end is missing. Upload the whole file again.");
  }
}

const refused = (message: string) => new UploadRefused("unreadable", message);
