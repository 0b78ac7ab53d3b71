import { type JsonValue, previewLimits, type ResultPreview } from "@querybell/domain/results";
import { cutText } from "@querybell/domain/text";
import type { ResultTable } from "./result-table.ts";

const { rows: shownRows, columns: shownColumns, textCharacters: shownCharacters } = previewLimits;
const maxPreviewCharacters = 20_000;

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
  text.length > shownCharacters ? `${cutText(text, shownCharacters)}…` : text;
