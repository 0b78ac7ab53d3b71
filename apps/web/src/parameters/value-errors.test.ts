import type { ParameterDefinition } from "@querybell/domain";
import { expect, test } from "vitest";
import type { ValueTexts } from "./parameter-values.ts";
import { errorsByParameter, findTextErrors, findValueErrors } from "./value-errors.ts";

const define = (name: string, type: ParameterDefinition["type"]): ParameterDefinition => ({
  name,
  type,
  displayName: name,
  description: "",
});

test("errors are found before anything is sent, and name the field as its label does", () => {
  const since = { ...define("since", "date"), displayName: "Orders since" };
  const n = define("n", "integer");
  const check = (definitions: ParameterDefinition[], texts: ValueTexts) =>
    findValueErrors({ definitions, ranges: [] }, texts);
  expect(check([since, n], { since: "soon", n: "4" })).toEqual({
    since: expect.stringMatching(/^Orders since takes a date such as 2024-01-31, or a relative one: .*\.$/),
  });
  expect(check([since, { ...n, defaultValue: "1" }], {})).toEqual({
    since: "Orders since is required.",
  });
  expect(errorsByParameter({ "parameterValues.since": "Is required." }, [since])).toEqual({
    since: "Orders since is required.",
  });
});

test("a range that ends before it starts is an error of its end, as the api says it; an empty one is none", () => {
  const definitions = [define("since", "date"), { ...define("until", "date"), defaultValue: "2026-01-31" }];
  const ranges = [{ displayName: "Period", start: "since", end: "until", includesEnd: false }];
  const check = (texts: ValueTexts) => findTextErrors({ definitions, ranges }, texts);
  const error = { until: "until is before the start of the range." };
  expect(check({ since: "2026-02-01" })).toEqual(error);
  expect(check({ since: "tomorrow", until: "today" })).toEqual({});
  expect(check({ since: "2026-01-31" })).toEqual({});
  expect(check({ until: "2026-02-01" })).toEqual({});
  expect(check({ since: "2026-02-01", until: "soon" })).toEqual({
    until: expect.stringContaining("takes a date"),
  });
  const fields = { "parameterValues.until": "is before the start of the range" };
  expect(errorsByParameter(fields, definitions)).toEqual(error);
});
