import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** The number of the first line that is not an object of JSON, counted from 1. DuckDB counts only what it could read. */
export async function findBrokenJsonLine(path: string): Promise<number | undefined> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  let number = 0;
  for await (const line of lines) {
    number++;
    if (line.trim() !== "" && !isObject(number === 1 ? line.replace(/^\ufeff/, "") : line)) return number;
  }
  return undefined;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
