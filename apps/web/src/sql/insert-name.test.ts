import { EditorState } from "@codemirror/state";
import { describe, expect, test } from "vitest";
import type { EngineKind } from "../engines/engine.ts";
import { insertName } from "./insert-name.ts";
import { quoteName } from "./quote-name.ts";
import { sqlLanguage } from "./sql-language.ts";

/** The statement after names are inserted where it has a bar, or in place of what is between two. */
function insert(text: string, names: readonly string[], engine: EngineKind = "duckdb"): string {
  const [before = "", selected = "", after] = text.split("|");
  const doc = `${before}${selected}${after ?? ""}`;
  const selection =
    after === undefined
      ? { anchor: before.length }
      : { anchor: before.length, head: before.length + selected.length };
  let state = EditorState.create({ doc, selection, extensions: sqlLanguage(engine, []) });
  for (const name of names) state = state.update(insertName(state, name)).state;
  const { head } = state.selection.main;
  return `${state.sliceDoc(0, head)}|${state.sliceDoc(head)}`;
}

describe("a name that is inserted", () => {
  test.each([
    ["|", "total|"],
    ["SELECT |", "SELECT total|"],
    ["SELECT|", "SELECT total|"],
    ["SELECT id|", "SELECT id, total|"],
    ['SELECT "the id"|', 'SELECT "the id", total|'],
    ["SELECT sum(id)|", "SELECT sum(id), total|"],
    ["SELECT id,|", "SELECT id, total|"],
    ["SELECT sum(|", "SELECT sum(total|"],
    ["SELECT o.|", "SELECT o.total|"],
    ["SELECT id\n|", "SELECT id\ntotal|"],
    ["SELECT prix_payé|", "SELECT prix_payé, total|"],
    ["SELECT 名|", "SELECT 名, total|"],
    ["SELECT 𠮷|", "SELECT 𠮷, total|"],
    ["SELECT 'a'|", "SELECT 'a', total|"],
    ["SELECT *|", "SELECT *, total|"],
    ["SELECT id,\n  *|", "SELECT id,\n  *, total|"],
    ["SELECT o.*|", "SELECT o.*, total|"],
    ["SELECT id *|", "SELECT id *total|"],
    ["SELECT {{days}}|", "SELECT {{days}}, total|"],
    ["SELECT CURRENT_DATE|", "SELECT CURRENT_DATE, total|"],
    ["SELECT CASE WHEN a THEN b END|", "SELECT CASE WHEN a THEN b END, total|"],
    ["SELECT o.order|", "SELECT o.order, total|"],
    ["SELECT o.bas|", "SELECT o.bas, total|"],
    ["SELECT 1 ORDER BY|", "SELECT 1 ORDER BY total|"],
    ["SELECT 1 ORDER BY id DESC|", "SELECT 1 ORDER BY id DESC, total|"],
  ])("is separated from what is before it: %j", (text, expected) => {
    expect(insert(text, ["total"])).toBe(expected);
  });

  test.each([
    ["SELECT |FROM orders", "SELECT total| FROM orders"],
    ["SELECT |id FROM orders", "SELECT total|, id FROM orders"],
    ['SELECT |"the id"', 'SELECT total|, "the id"'],
    ["SELECT |CASE WHEN a THEN b END", "SELECT total|, CASE WHEN a THEN b END"],
    ["SELECT id| FROM orders", "SELECT id, total| FROM orders"],
    ["SELECT sum(|)", "SELECT sum(total|)"],
    ["SELECT i|d, x", "SELECT id, total|, x"],
    ["SELECT |id| FROM orders", "SELECT total| FROM orders"],
  ])("is separated from what is after it, and splits no word: %j", (text, expected) => {
    expect(insert(text, ["total"])).toBe(expected);
  });

  test.each([
    ["SELECT 'a |", "SELECT 'a total|"],
    ["SELECT 'a|b'", "SELECT 'atotal|b'"],
    ['SELECT "a|', 'SELECT "atotal|'],
    ["SELECT id -- without|", "SELECT id -- withouttotal|"],
  ])("is not separated in a text or a comment: %j", (text, expected) => {
    expect(insert(text, ["total"])).toBe(expected);
  });

  // The editor's language takes some of these for keywords.
  const names = [
    ...["id", "name", "label", "type", "source", "event", "location", "message", "number", "version"],
    ...["date", "value", "order", "user", "count", "year", "by", "Total", "prix_payé"],
  ];
  test.each(["postgres", "trino", "duckdb"] as const)("and another after it are a list: %s", (engine) => {
    const written = names.map(quoteName);
    expect(insert("SELECT |", written, engine)).toBe(`SELECT ${written.join(", ")}|`);
  });
});
