import { createReadStream } from "node:fs";

const [lineFeed, carriageReturn, quote, space] = [0x0a, 0x0d, 0x22, 0x20];

interface CsvRow {
  /** Counted from 1, without the first line. */
  row: number;
  delimiter: string;
  /** Then an empty line is a row too. */
  isOneColumn: boolean;
}

/** The line on which a row of a CSV file begins, counted from 1. Values in quotes can have several lines. */
export async function findCsvLine(path: string, { row, delimiter, isOneColumn }: CsvRow): Promise<number> {
  const separator = delimiter.charCodeAt(0);
  let [line, begin, rows, isEmpty, previous] = [1, 1, 0, true, 0];
  let place: "start" | "plain" | "quoted" | "closed" = "start";
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (const byte of chunk) {
      const isBreak = byte === lineFeed || byte === carriageReturn;
      const isSecondOfTwo = byte === lineFeed && previous === carriageReturn;
      previous = byte;
      if (isBreak && !isSecondOfTwo) line++;
      if (place === "quoted") {
        if (byte === quote) place = "closed";
      } else if (isBreak) {
        if (!isSecondOfTwo && (!isEmpty || isOneColumn) && ++rows > row) return begin;
        [begin, isEmpty, place] = [line, true, "start"];
      } else {
        isEmpty = false;
        if (byte === separator) place = "start";
        else if (byte === quote) place = place === "plain" ? "plain" : "quoted";
        else if (place !== "start" || byte !== space) place = place === "closed" ? "closed" : "plain";
      }
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
