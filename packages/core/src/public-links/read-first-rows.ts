import { type Caller, Field, type ResultInfo } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readResult } from "../results/read-result.ts";
import { readRow, splitResult } from "../results/split-result.ts";
import { unzipResult } from "../results/unzip-result.ts";

interface FirstRows {
  fields: Field[];
  rows: unknown[][];
}

/** Parsing a longer row would block the event loop. */
const maxRowCharacters = 256 * 1024;

/** The first rows of a stored result. Undefined if one of them is too long to be shown. */
export async function readFirstRows(
  deps: Deps,
  caller: Caller,
  { info, maxRows }: { info: ResultInfo; maxRows: number },
): Promise<FirstRows | undefined> {
  const fields: Field[] = [];
  const rows: unknown[][] = [];
  let begun = "";
  for await (const part of splitResult(unzipResult(await readResult(deps, caller, info), info))) {
    if (part.kind === "field") {
      fields.push(Field.parse(JSON.parse(part.text)));
      continue;
    }
    if (rows.length === maxRows) break;
    begun += part.text;
    if (begun.length > maxRowCharacters) return undefined;
    if (part.kind === "piece of a row" && !part.isLast) continue;
    rows.push(readRow(begun));
    begun = "";
  }
  return { fields, rows };
}
