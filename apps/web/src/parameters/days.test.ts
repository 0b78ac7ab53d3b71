import { describe, expect, test } from "vitest";
import { addMonths, describeDays, resolveDay, weekday, weeksOf } from "./days.ts";
import { daysOfRange, describeRange, rangePresets, textsOfDays, textsOfPreset } from "./range-presets.ts";

const now = new Date("2026-11-17T18:00:00Z");
const month = (day: string) =>
  new Intl.DateTimeFormat(undefined, { month: "long", timeZone: "UTC" }).format(new Date(day));

test("a calendar shows the days of one month, from Monday on", () => {
  const weeks = weeksOf("2026-11-17");
  expect(weeks[0]).toEqual([...Array(6).fill(undefined), "2026-11-01"]);
  expect(weeks.at(-1)?.[0]).toBe("2026-11-30");
  expect(weeks.flat().filter(Boolean)).toHaveLength(30);
  expect(weekday("2026-11-16")).toBe(0);
  expect(addMonths("2026-01-31", 1)).toBe("2026-02-28");
});

test("days are dates or relative ones", () => {
  expect(resolveDay("2026-02-03", now)).toBe("2026-02-03");
  expect(resolveDay("month_start-1d", now)).toBe("2026-10-31");
  expect(resolveDay("soon", now)).toBeUndefined();
});

test("a range names its month once, and its year only if that is another", () => {
  expect(describeDays("2026-10-01", "2026-10-31", now)).toBe(`1 to 31 ${month("2026-10-01")}`);
  expect(describeDays("2026-09-30", "2026-10-01", now)).toBe(
    `30 ${month("2026-09-30")} to 1 ${month("2026-10-01")}`,
  );
  expect(describeDays("2025-12-30", "2026-01-02", now)).toBe(
    `30 ${month("2025-12-30")} 2025 to 2 ${month("2026-01-02")}`,
  );
  expect(describeDays("2025-03-01", "2025-03-01", now)).toBe(`1 ${month("2025-03-01")} 2025`);
});

describe.for([true, false])("of a range whose end is included: %s", (includesEnd) => {
  const range = { displayName: "Period", start: "from", end: "to", includesEnd };

  test.for([
    ["Last 7 days", "2026-11-11", "2026-11-17"],
    ["Previous week", "2026-11-09", "2026-11-15"],
    ["This month", "2026-11-01", "2026-11-30"],
    ["Previous quarter", "2026-07-01", "2026-09-30"],
    ["Previous year", "2025-01-01", "2025-12-31"],
  ] as const)("%s is from %s to %s", ([label, first, last]) => {
    const preset = rangePresets.find((one) => one.label === label);
    if (!preset) throw new Error(`There is no preset ${label}.`);
    const texts = textsOfPreset(preset, range);
    expect(daysOfRange(texts, range, now)).toEqual({ first, last });
    expect(describeRange(texts, range, now)).toBe(`${label}: ${describeDays(first, last, now)}`);
  });

  test("it may have no days", () => {
    const end = includesEnd ? "2026-11-04" : "2026-11-05";
    const words = describeRange({ start: "2026-11-05", end }, range, now);
    expect(words).toBe(`No days: until 5 ${month("2026-11-05")}`);
  });

  test("two chosen days are in it, in whatever order they were chosen", () => {
    const days = { first: "2026-11-03", last: "2026-11-05" };
    for (const [one, other] of [
      [days.first, days.last],
      [days.last, days.first],
    ] as const) {
      expect(daysOfRange(textsOfDays(one, other, range), range, now)).toEqual(days);
    }
  });
});
