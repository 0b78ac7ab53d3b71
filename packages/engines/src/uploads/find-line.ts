import { createReadStream } from "node:fs";

const [lineFeed, carriageReturn, quote] = [0x0a, 0x0d, 0x22];

/**
 * The line on which a row of a CSV file begins, counted from 1. Rows are counted without the first line. Quoted values
 * can have several lines. An empty line is a row only in a file of one column.
 */
export async function findCsvLine(
  path: string,
  { row, isOneColumn }: { row: number; isOneColumn: boolean },
): Promise<number> {
  let [line, begin, rows, isQuoted, hasBytes, previous] = [1, 1, 0, false, false, 0];
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (const byte of chunk) {
      const isEnd = byte === lineFeed ? previous !== carriageReturn : byte === carriageReturn;
      if (isEnd) line++;
      if (byte === quote) isQuoted = !isQuoted;
      if (byte !== lineFeed && byte !== carriageReturn) hasBytes = true;
      else if (!isQuoted) {
        if (isEnd) {
          if (hasBytes || isOneColumn) rows++;
          hasBytes = false;
          if (rows > row) return begin;
        }
        begin = line;
      }
      previous = byte;
    }
  }
  return begin;
}

/** The lines of a file that are not blank, with their numbers, counted from 1. */
export async function* readLines(path: string): AsyncGenerator<{ number: number; text: string }> {
  let number = 0;
  let pieces: Buffer[] = [];
  const take = () => {
    const text = Buffer.concat(pieces).toString();
    pieces = [];
    number++;
    return { number, text };
  };
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      pieces.push(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line.text.trim() !== "") yield line;
    }
    pieces.push(chunk.subarray(start));
  }
  const last = take();
  if (last.text.trim() !== "") yield last;
}

/** The line of a row of a file with JSON lines. */
export async function findJsonLine(path: string, row: number): Promise<number> {
  let rows = 0;
  for await (const { number } of readLines(path)) {
    if (++rows === row) return number;
  }
  return rows;
}
