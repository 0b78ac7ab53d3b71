import { expect, test } from "vitest";
import { areShared } from "./require-sessions.ts";

test("connections share sessions if one has several, or several have one", () => {
  expect(
    areShared([
      [1, 1],
      [2, 2],
      [3, 3],
    ]),
    "Postgres, or a pooler in session mode",
  ).toBe(false);
  expect(
    areShared([
      [1, 1],
      [1, 1],
      [1, 1],
    ]),
    "a pooler that gives what became free last",
  ).toBe(true);
  expect(
    areShared([
      [1, 2],
      [3, 1],
      [2, 3],
    ]),
    "a pooler that gives the next of all",
  ).toBe(true);
});
