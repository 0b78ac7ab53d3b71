import { AutomationCondition } from "@querybell/domain";
import { describe, expect, test } from "vitest";
import {
  alwaysSpeaks,
  conditionValuesOf,
  newPart,
  toCondition,
  toConditionField,
} from "./condition-values.ts";

type Stored = NonNullable<Parameters<typeof conditionValuesOf>[0]>;

/** As the api answers it. */
const whole = (condition: object): Stored =>
  JSON.parse(
    JSON.stringify(
      AutomationCondition.parse({
        shortId: "abc",
        rule: { condition, repeatAfterMinutes: 90, metForRuns: 1 },
      }),
    ),
  );

const figure = { operation: "sum", column: "revenue", where: [{ column: "n", operator: "more", value: 3 }] };

const leaves = [
  { kind: "figure", figure, is: { operator: "less", to: { kind: "value", value: "0.10" }, margin: "5" } },
  {
    kind: "figure",
    figure: { operation: "count" },
    is: { operator: "more", to: { kind: "last_run" }, by: { amount: "10", unit: "percent" } },
  },
  {
    kind: "figure",
    figure,
    is: { operator: "more", to: { kind: "period_before", dates: "day", period: "week" } },
  },
  {
    kind: "rows",
    which: "every",
    column: "a",
    is: { operator: "equals", to: { kind: "column", column: "b" } },
  },
  {
    kind: "rows_changed",
    changes: ["left"],
    key: ["id", "day"],
    where: [{ column: "a", operator: "is_empty" }],
  },
  {
    kind: "out_of_the_ordinary",
    figure,
    falseAlarms: "one_a_week",
    direction: "below",
    timeZone: "Asia/Tokyo",
  },
  { kind: "stale", dates: "at", afterMinutes: 120 },
  { kind: "failed" },
  { kind: "cut" },
];

describe("a condition in the form", () => {
  test.each(leaves)("is saved as it was read: $kind", (leaf) => {
    const stored = whole(leaf);
    const given = toCondition(conditionValuesOf(stored));
    expect(AutomationCondition.parse(given)).toEqual(stored);
  });

  test("keeps several parts, and groups in groups as they are", () => {
    const joined = whole({ kind: "any", conditions: [{ kind: "failed" }, { kind: "cut" }] });
    expect(AutomationCondition.parse(toCondition(conditionValuesOf(joined)))).toEqual(joined);
    const nested = whole({ kind: "all", conditions: [{ kind: "any", conditions: [{ kind: "cut" }] }] });
    const values = conditionValuesOf(nested);
    expect(values.other).toEqual(nested);
    expect(toCondition(values)).toEqual(nested);
  });

  test("is none unless somebody chooses it", () => {
    expect(toCondition(alwaysSpeaks())).toBe(null);
    expect(toCondition({ ...alwaysSpeaks(), speaks: "condition", parts: [newPart("failed")] })).not.toBe(
      null,
    );
  });
});

test.each([
  ["condition.shortId", "condition.shortId"],
  ["condition.rule.metForRuns", "condition.metForRuns"],
  ["condition.rule.condition", "condition.parts.0.kind"],
  ["condition.rule.condition.figure.column", "condition.parts.0.figure.column"],
  ["condition.rule.condition.conditions.2.key", "condition.parts.2.keyColumns"],
  ["condition.rule.condition.conditions.1.is.to.value", "condition.parts.1.is.to.value"],
  ["name", "name"],
])("the error of %s is shown at %s", (path, field) => {
  expect(toConditionField(path)).toBe(field);
});
