import { setImmediate } from "node:timers/promises";
import { AppError, Field } from "@querybell/domain";
import { readRow, splitResult } from "../split-result.ts";
import { ColumnProfile, type ParquetColumn } from "./column-types.ts";
import { RowGroupWriter } from "./row-group-writer.ts";

/**
 * Converts the JSON of a result to Parquet. It is read twice: a file has one type for each column, and what a decimal,
 * an integer or a timestamp needs is known only once all values were seen. `read` starts from the beginning each time.
 */
export async function toParquet(
  read: () => Promise<AsyncIterable<Uint8Array>>,
  signal: AbortSignal,
): Promise<AsyncGenerator<Uint8Array>> {
  const columns = await findColumns(await read(), signal);
  return writeFile(columns, await read());
}

async function findColumns(json: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<ParquetColumn[]> {
  const names: string[] = [];
  const profiles: ColumnProfile[] = [];
  for await (const { kind, text } of wholeParts(json)) {
    if (signal.aborted) throw new AppError("invalid_request", "The client has left.");
    if (kind === "field") {
      const field = Field.parse(JSON.parse(text));
      names.push(field.name);
      profiles.push(new ColumnProfile(field));
    } else {
      for (const [at, value] of readRow(text).entries()) profiles[at]?.add(value);
    }
  }
  if (profiles.length === 0) {
    throw new AppError(
      "invalid_request",
      "A result without columns cannot be written as Parquet. Select a column, or download it as JSON.",
    );
  }
  const unique = uniqueNames(names);
  return profiles.map((profile, at) => profile.toColumn(unique[at] ?? ""));
}

async function* writeFile(
  columns: readonly ParquetColumn[],
  json: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const writer = new RowGroupWriter(columns);
  for await (const { kind, text } of wholeParts(json)) {
    if (kind === "field") continue;
    writer.add(readRow(text), text.length);
    if (writer.isFull) yield* writeGroup(writer);
  }
  yield* writeGroup(writer);
  yield writer.end();
}

/** One column at a time, because encoding one blocks the event loop. */
async function* writeGroup(writer: RowGroupWriter): AsyncGenerator<Uint8Array> {
  for (const bytes of writer.writeGroup()) {
    yield bytes;
    await setImmediate();
  }
}

// A row is parsed as a whole, which blocks the event loop.
const maxRowCharacters = 4 * 1024 ** 2;

/** Joins the pieces of large rows. */
async function* wholeParts(
  json: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ kind: "field" | "row"; text: string }> {
  let row = "";
  for await (const part of splitResult(json)) {
    if (part.kind !== "piece of a row") {
      yield part;
      continue;
    }
    row += part.text;
    if (row.length > maxRowCharacters) {
      throw new AppError(
        "payload_too_large",
        "A row of this result is too large for Parquet. Download it as JSON or CSV, or select less.",
      );
    }
    if (!part.isLast) continue;
    yield { kind: "row", text: row };
    row = "";
  }
}

/** Readers find columns by name: repeated names get a number. */
export function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  // Counting from 1 again for each repetition would take seconds for 10,000 equal names.
  const nextNumbers = new Map<string, number>();
  return names.map((given) => {
    const name = given || "column";
    let unique = name;
    let number = nextNumbers.get(name) ?? 1;
    for (; used.has(unique); number++) unique = `${name}_${number}`;
    nextNumbers.set(name, number);
    used.add(unique);
    return unique;
  });
}
