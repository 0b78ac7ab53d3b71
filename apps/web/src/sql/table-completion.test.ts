import { CompletionContext } from "@codemirror/autocomplete";
import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { describe, expect, test } from "vitest";
import type { DatabaseTable } from "./described-tables.ts";
import { sqlLanguage } from "./sql-language.ts";
import { tableCompletion } from "./table-completion.ts";

const column = (name: string) => ({ name, type: "INTEGER" });
const tables: DatabaseTable[] = [
  { schema: "main", name: "orders", columns: [column("id"), column("total")] },
  { schema: "main", name: "Old orders", columns: [column("id")] },
  { schema: "archive", name: "people", columns: [column("age")] },
];

/** What is offered at the bar in a statement. */
async function complete(text: string, { explicit = false } = {}) {
  const pos = text.indexOf("|");
  const doc = text.replace("|", "");
  const created = EditorState.create({ doc, extensions: sqlLanguage("duckdb", tables) });
  ensureSyntaxTree(created, doc.length, 10_000);
  // A state keeps the tree that it was created with; the next one has the whole.
  const { state } = created.update({});
  const source = tableCompletion("duckdb", tables);
  const result = await source(new CompletionContext(state, pos, explicit));
  return result && { typed: doc.slice(result.from, pos), labels: result.options.map(({ label }) => label) };
}

const everything = ["main", "archive", "orders", "Old orders"];

describe("completion from the tables of a database", () => {
  test("offers schemas, the tables of the default one, and aliases", async () => {
    expect(await complete("SELECT * FROM or|")).toEqual({ typed: "or", labels: everything });
    expect(await complete("SELECT t| FROM orders AS total_orders JOIN archive.people p ON true")).toEqual({
      typed: "t",
      labels: [...everything, "total_orders", "p"],
    });
  });

  test.for([
    ["SELECT main.| FROM x", "", ["orders", "Old orders"]],
    ["SELECT archive.pe|", "pe", ["people"]],
    ["SELECT orders.to| FROM orders", "to", ["id", "total"]],
    ["SELECT archive.people.| FROM x", "", ["age"]],
    ["SELECT o.| FROM orders o", "", ["id", "total"]],
    ["SELECT o.i| FROM main.orders AS o WHERE true", "i", ["id", "total"]],
    ["SELECT p.| FROM orders o JOIN archive.people p ON o.id = p.age", "", ["age"]],
    ['SELECT "Old orders".| FROM x', "", ["id"]],
    ['SELECT q.| FROM "Old orders" q', "", ["id"]],
    ['SELECT * FROM "O|"', '"O', everything.map((name) => `"${name}"`)],
  ] as const)("%s", async ([text, typed, labels]) => {
    expect(await complete(text)).toEqual({ typed, labels });
  });

  test("offers nothing after a name that is none, in a text, or unasked between words", async () => {
    for (const text of [
      "SELECT nothing.| FROM orders",
      "SELECT a.b.c.| FROM x",
      "SELECT 'or|'",
      "SELECT |",
    ]) {
      expect([text, await complete(text)]).toEqual([text, null]);
    }
    expect(await complete("SELECT |", { explicit: true })).toEqual({ typed: "", labels: everything });
  });

  test("finds the aliases of a long statement", async () => {
    const lines = Array.from({ length: 500 }, (_, index) => `sum(o.total + ${index}) AS total_${index},`);
    const text = `SELECT\n${lines.join("\n")}\no.| FROM orders o`;
    expect(await complete(text)).toEqual({ typed: "", labels: ["id", "total"] });
  });

  test("inserts quotes where a name needs them", async () => {
    const state = EditorState.create({ doc: "SELECT O", extensions: sqlLanguage("duckdb", tables) });
    const result = await tableCompletion("duckdb", tables)(new CompletionContext(state, 8, false));
    expect(result?.options.find(({ label }) => label === "Old orders")?.apply).toBe('"Old orders"');
    expect(result?.options.find(({ label }) => label === "orders")?.apply).toBe("orders");
  });
});
