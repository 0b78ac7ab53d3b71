import { ensureSyntaxTree, syntaxTreeAvailable } from "@codemirror/language";
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

/** A part of a syntax tree: a tree or a buffer. */
interface Part {
  length: number;
  children?: readonly Part[];
}

test("a letter parses little of a long statement again", () => {
  const parse = (state: EditorState): Part => {
    const tree = ensureSyntaxTree(state, state.doc.length, 60_000);
    if (!tree) throw new Error("The statement is not parsed.");
    return tree;
  };
  const state = EditorState.create({ doc: sql, extensions: sqlLanguage("duckdb", []) });
  const partsOf = (part: Part): Part[] => [part, ...(part.children ?? []).flatMap(partsOf)];
  const before = new Set(partsOf(parse(state)));
  const keptLength = (part: Part): number =>
    before.has(part) ? part.length : (part.children ?? []).reduce((sum, one) => sum + keptLength(one), 0);
  const after = parse(state.update({ changes: { from: "SELECT".length, insert: "a" } }).state);
  // A slow machine parses in more pieces, and what is at their ends is parsed again.
  expect(keptLength(after) / after.length).toBeGreaterThan(0.9);
});
