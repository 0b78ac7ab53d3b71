import { CompletionContext, type CompletionSource } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import type { DatabaseTable } from "./described-tables.ts";
import { sqlLanguage } from "./sql-language.ts";

const column = (name: string) => ({ name, type: "INTEGER" });
const tables: DatabaseTable[] = [
  { schema: "main", name: "orders", columns: [column("total")] },
  { schema: "main", name: "people", columns: [column("age")] },
];

/** The columns that all sources together offer at the bar in a statement. */
async function columnsAt(text: string): Promise<string[]> {
  const pos = text.indexOf("|");
  const state = EditorState.create({
    doc: text.replace("|", ""),
    extensions: sqlLanguage("duckdb", tables),
  });
  const sources = state.languageDataAt<CompletionSource>("autocomplete", pos);
  const results = await Promise.all(
    sources.map((source) => source(new CompletionContext(state, pos, false))),
  );
  const options = results.flatMap((result) => result?.options ?? []);
  return options.filter(({ type }) => type === "property").map(({ label }) => label);
}

test("columns of every table are offered until the statement names one", async () => {
  expect(await columnsAt("SELECT sum(to|")).toEqual(["total", "age"]);
  expect(await columnsAt("SELECT sum(to|) FROM orders")).toEqual(["total"]);
});
