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
const odd: DatabaseTable[] = [
  { schema: "main", name: "odd", columns: [column("user"), column("Full name"), column("total")] },
];

/** What all sources together offer at the bar in a statement. */
async function optionsAt(text: string, of = tables) {
  const pos = text.indexOf("|");
  const state = EditorState.create({
    doc: text.replace("|", ""),
    extensions: sqlLanguage("duckdb", of),
  });
  const sources = state.languageDataAt<CompletionSource>("autocomplete", pos);
  const results = await Promise.all(
    sources.map((source) => source(new CompletionContext(state, pos, false))),
  );
  return results.flatMap((result) => {
    const options = result?.options ?? [];
    return options.map(({ label, type, apply }) => ({ label, type, apply, from: result?.from }));
  });
}

const columnsAt = async (text: string, of = tables) =>
  (await optionsAt(text, of)).filter(({ type }) => type === "property");

const labelsAt = async (text: string) => (await columnsAt(text)).map(({ label }) => label);

test("columns of every table are offered until the statement names one", async () => {
  expect(await labelsAt("SELECT sum(to|")).toEqual(["total", "age"]);
  expect(await labelsAt("SELECT sum(to|) FROM orders")).toEqual(["total"]);
});

test("a column is written with the quotes that it needs, and those that are there are not doubled", async () => {
  const appliedAt = async (text: string) =>
    (await columnsAt(text, odd)).map(({ apply, from }) => [apply, from]);
  expect(await appliedAt("SELECT u|")).toEqual([
    ['"user"', 7],
    ['"Full name"', 7],
    ["total", 7],
  ]);
  expect(await appliedAt('SELECT "Full n|"')).toEqual([
    ['"user"', 7],
    ['"Full name"', 7],
    ['"total"', 7],
  ]);
});

test("keywords are not offered in quotes", async () => {
  const typesAt = async (text: string) => new Set((await optionsAt(text, odd)).map(({ type }) => type));
  expect(await typesAt("SELECT fu|")).toContain("keyword");
  expect(await typesAt('SELECT "fu|"')).not.toContain("keyword");
});
