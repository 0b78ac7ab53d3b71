import type { Completion } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { isWritten } from "./enter-after-word.ts";
import { quoteName } from "./quote-name.ts";

const named = (label: string): Completion => ({ label, apply: quoteName(label) });

test.each([
  ["SELECT * FROM orders", named("orders"), true],
  ["SELECT * FROM Orders", named("orders"), true],
  ["select", { label: "SELECT" }, true],
  ["SELECT * FROM ord", named("orders"), false],
  ["SELECT * FROM customers", named("Customers"), false],
  ["SELECT * FROM Customers", named("Customers"), false],
  ['SELECT * FROM "Customers"', named("Customers"), true],
  ['SELECT * FROM "customers"', named("Customers"), false],
  ["SELECT * FROM order", named("order"), false],
  ["SELECT user", named("user"), false],
  ["id", named("identity"), false],
])("%s: is %j written? %s", (doc, suggestion, expected) => {
  const state = EditorState.create({ doc, selection: { anchor: doc.length } });
  expect(isWritten(state, suggestion)).toBe(expected);
});
