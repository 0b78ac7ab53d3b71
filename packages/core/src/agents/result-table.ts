import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Field } from "@querybell/domain";
import type { JsonValue } from "@querybell/engines";
import { z } from "zod";

const inflate = promisify(gunzip);

/** A result as agents read it. */
const ResultTable = z.object({
  fields: z.array(Field),
  // Our own engines wrote them: looking at each of a million values would cost more than reading them.
  rows: z.custom<JsonValue[][]>(Array.isArray),
  /** Whether a limit cut it short. */
  cut: z.boolean(),
});
export type ResultTable = z.infer<typeof ResultTable>;

export async function readTable(gzippedJson: Uint8Array, cut: boolean): Promise<ResultTable> {
  return ResultTable.parse({ ...JSON.parse(String(await inflate(gzippedJson))), cut });
}

const shownRows = 100;
const shownCharacters = 100;
const maxPreviewCharacters = 20_000;

/**
 * What a transcript shows of a result, for ever: the result itself is replaced by newer ones. Enough for the chart of
 * a small result, and bounded, since whoever watches a run is sent it with each change of its step.
 */
export function previewOf({ fields, rows, cut }: ResultTable) {
  let left = maxPreviewCharacters;
  const shown: ReturnType<typeof shorten>[][] = [];
  for (const row of rows.slice(0, shownRows)) {
    const short = row.map(shorten);
    left -= JSON.stringify(short).length;
    if (left < 0) break;
    shown.push(short);
  }
  return { fields, rows: shown, rowCount: rows.length, cut };
}

function shorten(value: JsonValue): string | number | boolean | null {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}
