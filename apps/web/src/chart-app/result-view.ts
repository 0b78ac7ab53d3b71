import { drawPicture } from "@querybell/charts";
import type { ChartRows } from "@querybell/charts/chart-data";
import { settingsToElement, suggestSettings, suggestTitle, writeJsxConfig } from "@querybell/charts/settings";
import type { Field } from "@querybell/domain";
import { plainMargins } from "@querybell/domain/plain-margins";
import { type HostContext, isRecord } from "./host.ts";

/** What the tool has answered: rows, or a sentence. */
export type Result =
  | { kind: "rows"; shown: ChartRows; rowCount: number; isCutByLimit: boolean }
  | { kind: "sentence"; text: string };

/** Reads the answer of run_query. */
export function readResult(answer: unknown): Result {
  const { structuredContent, content } = isRecord(answer) ? answer : {};
  const { columns, rows: given, rowCount, cutBy } = isRecord(structuredContent) ? structuredContent : {};
  const fields = Array.isArray(columns) ? columns.filter(isField) : [];
  const rows = Array.isArray(given) ? given.filter((row): row is unknown[] => Array.isArray(row)) : [];
  if (fields.length > 0 && rows.length > 0) {
    return {
      kind: "rows",
      shown: { fields, rows, rowCount: rows.length },
      rowCount: typeof rowCount === "number" ? rowCount : rows.length,
      isCutByLimit: cutBy !== undefined,
    };
  }
  const [first] = Array.isArray(content) ? content : [];
  const text = isRecord(first) && typeof first.text === "string" ? first.text : "There is no result.";
  return { kind: "sentence", text: text.split("\n")[0] ?? "" };
}

const isField = (value: unknown): value is Field =>
  isRecord(value) && typeof value.name === "string" && typeof value.type === "string";

interface View extends HostContext {
  isDark: boolean;
  width: number;
}

/** Draws the chart that the page suggests for such a result, or a table if there is none. */
export function drawResult(result: Result, view: View): Node[] {
  if (result.kind === "sentence") return [element("p", result.text)];
  const remark = describeCut(result);
  const drawing = drawChart(result.shown, view) ?? drawTable(result.shown);
  return remark === undefined ? [drawing] : [drawing, element("p", remark)];
}

/** A chart of some rows looks like one of all. */
function describeCut({
  shown,
  rowCount,
  isCutByLimit,
}: Extract<Result, { kind: "rows" }>): string | undefined {
  const count = (rows: number) => rows.toLocaleString("en-US");
  const limit = isCutByLimit ? " A limit cut the result: the query has more." : "";
  if (shown.rowCount === rowCount && limit === "") return undefined;
  return `Drawn from ${count(shown.rowCount)} of ${count(rowCount)} rows.${limit}`;
}

function drawChart(shown: ChartRows, { isDark, width, locale, timeZone }: View): Node | undefined {
  const settings = suggestSettings(shown);
  const chart = settingsToElement(settings);
  if (!chart) return undefined;
  const visualization = {
    type: settings.type,
    jsxConfig: writeJsxConfig(chart),
    marginConfig: plainMargins,
  };
  const svg = drawPicture(visualization, shown, {
    title: suggestTitle(settings) ?? "Result",
    width: Math.max(320, width),
    scheme: isDark ? "dark" : "light",
    ...(locale !== undefined && { locale }),
    ...(timeZone !== undefined && { timeZone }),
  });
  if (svg === undefined) return undefined;
  return document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true);
}

const maxTableRows = 50;

function drawTable({ fields, rows }: ChartRows): Node {
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const { name } of fields) {
    const cell = element("th", name);
    cell.setAttribute("scope", "col");
    head.append(cell);
  }
  const body = table.createTBody();
  for (const row of rows.slice(0, maxTableRows)) {
    const line = body.insertRow();
    for (const value of row) line.append(element("td", value === null ? "" : String(value)));
  }
  if (rows.length > maxTableRows) table.createCaption().textContent = `The first ${maxTableRows} rows.`;
  return table;
}

function element(name: string, text: string): HTMLElement {
  const created = document.createElement(name);
  created.textContent = text;
  return created;
}
