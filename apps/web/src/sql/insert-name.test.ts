import { ensureSyntaxTree } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { describe, expect, test } from "vitest";
import { separatorBefore } from "./insert-name.ts";
import { sqlLanguage } from "./sql-language.ts";

/** The statement is before the cursor. */
function separatorAfter(doc: string): string {
  const state = EditorState.create({
    doc,
    selection: { anchor: doc.length },
    extensions: sqlLanguage("duckdb", []),
  });
  ensureSyntaxTree(state, doc.length);
  return separatorBefore(state);
}

describe("a name that is inserted", () => {
  test.each([
    ["", ""],
    ["SELECT ", ""],
    ["SELECT", " "],
    ["SELECT total", ", "],
    ['SELECT "the total"', ", "],
    ["SELECT sum(total)", ", "],
    ["SELECT total,", " "],
    ["SELECT sum(", ""],
    ["SELECT o.", ""],
    ["SELECT total\n", ""],
  ])("after %j is separated by %j", (text, separator) => {
    expect(separatorAfter(text)).toBe(separator);
  });
});
