import { element } from "../element.ts";

interface Preview {
  fields: { name: string }[];
  rows: unknown[][];
  rowCount: number;
}

const isPreview = (output: unknown): output is Preview =>
  typeof output === "object" &&
  output !== null &&
  "fields" in output &&
  "rows" in output &&
  "rowCount" in output;

/** The first rows of a result, where a step's output is one. */
export function previewTable(output: unknown): HTMLElement | undefined {
  if (!isPreview(output)) return undefined;
  const { fields, rows, rowCount } = output;
  const row = (tag: "th" | "td", cells: unknown[]) =>
    element("tr", {}, ...cells.map((cell) => element(tag, {}, cell === null ? "" : String(cell))));
  return element(
    "figure",
    {},
    element(
      "table",
      {},
      element(
        "thead",
        {},
        row(
          "th",
          fields.map(({ name }) => name),
        ),
      ),
      element("tbody", {}, ...rows.map((cells) => row("td", cells))),
    ),
    element("figcaption", { class: "hint" }, `${rows.length} of ${rowCount} rows`),
  );
}
