import { expect, test } from "vitest";
import { judgeSeries, type OrdinarySettings } from "./judge-series.ts";
import { makeUpSeries } from "./testing/made-up-series.ts";
import { falseIn90Days, foundShare, measure, sum } from "./testing/measure.ts";
import { Random } from "./testing/random.ts";
import { tryLine } from "./try-line.ts";

const settings: OrdinarySettings = { timeZone: "UTC", falseAlarms: "one_in_three_months", direction: "both" };

test("most of what is planted is found, and few alarms are false", () => {
  const kinds = [...measure(7, 1, "day").values()];
  const measured = sum(kinds.map(({ byRule }) => byRule["out of the ordinary"]));
  expect(foundShare(measured)).toBeGreaterThan(0.85);
  expect(falseIn90Days(measured)).toBeLessThan(1.1);
});

test("a value is judged by what was before it only", () => {
  const points = makeUpSeries(3, 1, "day")[1]?.points.slice(0, 120) ?? [];
  const changed = points.map((point, i) => (i < 100 ? point : { ...point, value: 1e6 }));
  expect(judgeSeries(changed, settings).slice(0, 100)).toEqual(judgeSeries(points, settings).slice(0, 100));
});

test("a constant series, two values, no values and a jump to zero give judgements", () => {
  const at = (i: number) => Date.UTC(2026, 0, 1 + i);
  const judge = (values: (number | null)[]) =>
    judgeSeries(
      values.map((value, i) => ({ at: at(i), value })),
      settings,
    ).map(({ state }) => state);
  expect(judge([])).toEqual([]);
  expect(judge([1, null])).toEqual(["learning", "no_data"]);
  const constant = judge([...Array.from({ length: 60 }, () => 5), 9]);
  expect(constant.slice(20, 60).every((state) => state === "ordinary")).toBe(true);
  expect(constant[60]).toBe("unusual");
  const random = new Random(1);
  const noise = Array.from({ length: 60 }, () => 100 + 5 * random.normal());
  expect(judge([...noise, 0]).at(-1)).toBe("unusual");
  const counts = Array.from({ length: 60 }, (_, i) => i % 2);
  expect(judge([...counts, 9e15]).at(-1)).toBe("unusual");
  expect(judge([...Array.from({ length: 60 }, () => 0), 3]).at(-1)).toBe("unusual");
});

test("a line of a file says when it would have spoken", () => {
  const random = new Random(4);
  const points = Array.from({ length: 61 }, (_, i) => {
    const day = new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10);
    return [day, i === 50 ? "900.5" : 100 + 5 * random.normal()];
  });
  const tried = tryLine(JSON.stringify({ name: "orders", points }));
  expect(tried).toMatchObject({
    name: "orders",
    points: 61,
    told: [
      { at: "2026-02-20T00:00:00.000Z", point: 50, value: 900.5, resolvedAt: "2026-02-23T00:00:00.000Z" },
    ],
  });
  expect(tryLine("{")).toEqual({ error: "The line is no JSON." });
  expect(
    tryLine(
      JSON.stringify({
        points: [
          ["2026-01-02", 1],
          ["2026-01-01", 1],
        ],
      }),
    ),
  ).toEqual({
    error: "Point 1 is not later than the one before it.",
  });
});
