import type { ParameterDefinition } from "@querybell/domain";
import { expect, test } from "vitest";
import { definitionsFor, describeValues, toParameterValues, toTexts } from "./parameter-values.ts";

const define = (name: string, type: ParameterDefinition["type"]): ParameterDefinition => ({
  name,
  type,
  displayName: name,
  description: "",
});

test("what is typed becomes the values of a run: lists are split, what is empty takes its default", () => {
  const definitions = [define("since", "date"), define("countries", "string[]"), define("n", "integer")];
  expect(toParameterValues(definitions, { since: "today-7d", countries: "DE, FR ", other: "x" })).toEqual({
    since: "today-7d",
    countries: ["DE", "FR"],
  });
  expect(toParameterValues(definitions, { countries: " " })).toEqual({ countries: [] });
});

test("values of a run become texts again", () => {
  expect(toTexts({ n: 1, list: ["a", "b"], on: true })).toEqual({ n: "1", list: "a, b", on: "true" });
  expect(describeValues({ since: "2026-01-01", n: 2 })).toBe("since = 2026-01-01, n = 2");
});

test("a placeholder that nobody has defined takes a text; of two definitions the first counts", () => {
  const [first, second] = [define("a", "integer"), define("a", "date")];
  expect(definitionsFor(["b", "a"], [first, second])).toEqual([define("b", "string"), first]);
});
