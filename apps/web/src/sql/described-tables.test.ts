import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { describeTables, tablesOfCharts } from "./described-tables.ts";
import { quoteName } from "./quote-name.ts";
import { sqlLanguage } from "./sql-language.ts";
import { tableCompletion } from "./table-completion.ts";

const described = describeTables(
  [
    {
      schema: "main",
      name: "orders",
      comment: "Of the database",
      columns: [
        { name: "total", type: "INTEGER", comment: "In cents" },
        { name: "id", type: "INTEGER" },
      ],
    },
  ],
  [
    {
      schema: "main",
      table: "orders",
      column: null,
      description: "What was ordered",
      updatedBy: null,
      updatedAt: "2026-11-17T00:00:00.000Z",
    },
  ],
);

const tables = [
  ...described,
  ...tablesOfCharts([{ shortId: "abc", title: "Revenue by month", table: "charts.revenue_by_month" }]),
];

test("what people say about a table comes before the comment of the database", () => {
  expect(described).toEqual([
    {
      schema: "main",
      name: "orders",
      comment: "Of the database",
      description: "What was ordered",
      about: "What was ordered",
      columns: [
        { name: "total", type: "INTEGER", comment: "In cents", about: "In cents" },
        { name: "id", type: "INTEGER" },
      ],
    },
  ]);
});

test("completion says what is known about tables and columns", async () => {
  const infoAt = async (doc: string) => {
    const state = EditorState.create({ doc, extensions: sqlLanguage("duckdb", tables) });
    const result = await tableCompletion("duckdb", tables)(new CompletionContext(state, doc.length, true));
    return result?.options.flatMap(({ label, info }) => (info === undefined ? [] : [[label, info]]));
  };
  expect(await infoAt("SELECT * FROM or")).toEqual([["orders", "What was ordered"]]);
  expect(await infoAt("SELECT orders.")).toEqual([["total", "In cents"]]);
  expect(await infoAt("SELECT * FROM charts.")).toEqual([["revenue_by_month", "Revenue by month"]]);
});

test.each([
  ["orders", "orders"],
  ["order", '"order"'],
  // Reserved by Postgres, DuckDB and Trino each.
  ["ilike", '"ilike"'],
  ["at", '"at"'],
  ["by", '"by"'],
  ["Orders", '"Orders"'],
  ['a"b', '"a""b"'],
])("%s is written as %s", (name, written) => {
  expect(quoteName(name)).toBe(written);
});
