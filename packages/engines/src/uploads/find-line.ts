import { createReadStream } from "node:fs";

const lineFeed = 0x0a;
const spaces = new Set(Buffer.from(" \t\n\v\f\r"));

interface Line {
  /** Counted from 1. */
  number: number;
  bytes: Buffer;
}

/** The lines of a file that are not blank. */
export async function* readLines(path: string): AsyncGenerator<Line> {
  let number = 0;
  let pieces: Buffer[] = [];
  const take = (): Line => {
    const bytes = Buffer.concat(pieces);
    pieces = [];
    number++;
    return { number, bytes };
  };
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      pieces.push(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (!isBlank(line)) yield line;
    }
    pieces.push(chunk.subarray(start));
  }
  const last = take();
  if (!isBlank(last)) yield last;
}

/** Whether DuckDB leaves out a line: it has nothing but spaces. */
const isBlank = ({ bytes }: Line): boolean => bytes.every((byte) => spaces.has(byte));

/** The line of a row of a file with JSON lines. */
export async function findJsonLine(path: string, row: number): Promise<number> {
  let rows = 0;
  for await (const { number } of readLines(path)) {
    if (++rows === row) return number;
  }
  return rows;
}
