import { drawPicture } from "@querybell/charts";
import { rowsToRead, rowsWithin } from "@querybell/charts/chart-data";
import type { ResultTable } from "@querybell/summaries/result-table";
import type { PictureRequest } from "./picture-request.ts";
import { toPng } from "./to-png.ts";

/** Draws a chart of a stored result, from the rows that its page draws. Undefined for a table. */
export function drawPictureOf(
  { fields, rows }: ResultTable,
  request: PictureRequest,
): Uint8Array | undefined {
  const { format, visualization, scale, ...options } = request;
  const read = rowsWithin(rowsToRead(visualization), fields.length);
  const drawn = { fields, rows: rows.slice(0, read), rowCount: rows.length };
  const svg = drawPicture(visualization, drawn, options);
  if (svg === undefined) return undefined;
  return format === "svg" ? Buffer.from(svg) : toPng(svg, scale);
}
