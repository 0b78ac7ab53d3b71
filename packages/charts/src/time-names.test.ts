import { expect, test } from "vitest";
import { createFormats } from "./formats.ts";
import { timeNames } from "./time-names.ts";

const formats = createFormats({ locale: "en", timeZone: "UTC" });

test.each([
  [
    ["2026-09-01", "2026-10-01T00:00:00"],
    ["Sep 2026", "Oct 2026"],
  ],
  [
    ["2025-01-01", "2026-01-01"],
    ["2025", "2026"],
  ],
  [
    ["2026-09-01", "2026-09-08"],
    ["Sep 1, 2026", "Sep 8, 2026"],
  ],
  [
    ["2026-09-01T10:00:00", "2026-09-02T10:00:00", "2026-09-03T00:00:00"],
    ["Sep 1, 2026, 10:00 AM", "Sep 2, 2026, 10:00 AM", "Sep 3, 2026"],
  ],
  [
    ["2026-09-01", "12 others", null],
    ["Sep 2026", undefined, undefined],
  ],
])("the times %j are named as axes do", (values, names) => {
  // Some versions of Unicode have a narrow space before AM.
  expect(timeNames(values, formats).map((name) => name?.replace(/\u202f/g, " "))).toEqual(names);
});
