import type { ParameterDefinition } from "@querybell/domain";
import { expect, test } from "vitest";
import {
  definitionsFor,
  describeValues,
  hasValuesOf,
  toItems,
  toListText,
  toParameterValues,
  toTexts,
  withDefaults,
  withText,
} from "./parameter-values.ts";

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

test.for([[["a", "b"]], [["Smith, John", "b"]], [[" a"]], [["[1]"]], [["[", "]"]], [['["a"]', ""]], [[]]])(
  "the items %j are read back as they were chosen",
  ([items]) => {
    expect(toItems(toListText(items ?? []))).toEqual(items);
  },
);

test("a placeholder that nobody has defined takes a text; of two definitions the first counts", () => {
  const [first, second] = [define("a", "integer"), define("a", "date")];
  expect(definitionsFor(["b", "a"], [first, second])).toEqual([define("b", "string"), first]);
});

test("a run is known by its values, whatever texts they were", () => {
  const definitions = [define("n", "integer"), { ...define("list", "string[]"), defaultValue: "a, b" }];
  const run = { parameterValues: { n: 7, list: ["a", "b"] } };
  expect(hasValuesOf(run, definitions, { n: " 7" })).toBe(true);
  expect(hasValuesOf(run, definitions, { n: "7", list: "b" })).toBe(false);
  expect(hasValuesOf(run, definitions, { n: "seven" })).toBe(false);
  expect(hasValuesOf(run, definitions, {})).toBe(false);
});

test("a chart gets the values that it was built on as its defaults", () => {
  const [n, list] = [{ ...define("n", "integer"), defaultValue: "1" }, define("list", "string[]")];
  expect(withDefaults([n, list], { list: ["a", "b, c"] })).toEqual([
    n,
    { ...list, defaultValue: '["a","b, c"]' },
  ]);
  expect(withDefaults([n, list], { n: "today-7d" })).toEqual([{ ...n, defaultValue: "today-7d" }, list]);
});

test("another country takes the city and the street with it", () => {
  const from = (...dependsOn: string[]) => ({ kind: "query" as const, queryId: "1", dependsOn });
  const choices = { city: from("country"), street: from("city"), shop: from() };
  const values = { country: "DE", city: "Berlin", street: "Torstr.", shop: "1" };
  expect(withText(values, { name: "country", text: "FR", choices })).toEqual({ country: "FR", shop: "1" });
  expect(withText(values, { name: "city", text: "", choices })).toEqual({ country: "DE", shop: "1" });
});
