import { Field } from "@querybell/domain/results";
import { z } from "zod";
import type { JsonValue } from "../results/json-value.ts";
import type { ResultTable } from "./result-table.ts";

const shownRows = 100;
const shownColumns = 100;
const shownCharacters = 100;
const maxPreviewCharacters = 20_000;

/**
 * What a transcript shows of a result, for ever: the result itself is replaced by newer ones. Enough for the chart of
 * a small result, and bounded, since whoever watches a run is sent it with each change of its step.
 */
export const ResultPreview = z.object({
  fields: z.array(Field.extend({ name: z.string().max(shownCharacters + 1) })).max(shownColumns),
  rows: z
    .array(
      z
        .array(z.union([z.string().max(shownCharacters + 1), z.number(), z.boolean(), z.null()]))
        .max(shownColumns),
    )
    .max(shownRows),
  rowCount: z.int(),
  /** Whether a limit cut the result short. */
  cut: z.boolean(),
});
export type ResultPreview = z.infer<typeof ResultPreview>;

export function previewResult({ fields, rows, cut }: ResultTable): ResultPreview {
  let left = maxPreviewCharacters;
  const shown: ResultPreview["rows"] = [];
  for (const row of rows.slice(0, shownRows)) {
    const cells = row.slice(0, shownColumns).map(toCell);
    left -= JSON.stringify(cells).length;
    if (left < 0) break;
    shown.push(cells);
  }
  return {
    fields: fields.slice(0, shownColumns).map(({ name, type }) => ({ name: shorten(name), type })),
    rows: shown,
    rowCount: rows.length,
    cut,
  };
}

function toCell(value: JsonValue): string | number | boolean | null {
  if (typeof value === "number" || typeof value === "boolean" || value === null) return value;
  return shorten(typeof value === "string" ? value : JSON.stringify(value));
}

const shorten = (text: string): string =>
  text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
