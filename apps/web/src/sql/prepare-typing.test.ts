import { syntaxTreeAvailable } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { parseFurther } from "./prepare-typing.ts";
import { sqlLanguage } from "./sql-language.ts";

const lines = Array.from({ length: 400 }, (_, index) => `  sum(o.total) FILTER (WHERE o.id = ${index}),`);
const sql = `SELECT\n${lines.join("\n")}\n  count(*) FROM orders o`;

test("a long statement is parsed to its end, in slices", () => {
  const state = EditorState.create({ doc: sql, extensions: sqlLanguage("duckdb", []) });
  expect(syntaxTreeAvailable(state, sql.length)).toBe(false);
  let parsedTo = 0;
  while (parsedTo < sql.length) {
    const next = parseFurther(state, parsedTo, 0);
    expect(next).toBeGreaterThanOrEqual(parsedTo);
    parsedTo = next;
  }
  expect(syntaxTreeAvailable(state, sql.length)).toBe(true);
});
