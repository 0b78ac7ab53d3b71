import { describe, expect, test } from "vitest";
import { durationText, fromLocalInput, relativeTime, toLocalInput, zoneOf } from "./times.ts";

describe("a relative time", () => {
  const now = Date.parse("2026-05-04T12:00:00Z");
  const inReadersLanguage = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

  test("is just now within its second", () => {
    expect(relativeTime("2026-05-04T12:00:00Z", now)).toBe("just now");
    expect(relativeTime("2026-05-04T11:59:59.400Z", now)).toBe("just now");
  });

  test("is just now if the reader's clock is a little behind", () => {
    expect(relativeTime("2026-05-04T12:00:02Z", now)).toBe("just now");
    expect(relativeTime("2026-05-04T12:00:06Z", now)).toBe(inReadersLanguage.format(6, "second"));
  });

  test("is in the largest unit that fits", () => {
    for (const [at, count, unit] of [
      ["2026-05-04T11:59:58Z", -2, "second"],
      ["2026-05-04T11:55:00Z", -5, "minute"],
      ["2026-05-05T12:00:00Z", 1, "day"],
    ] as const) {
      expect(relativeTime(at, now)).toBe(inReadersLanguage.format(count, unit));
    }
  });
});

test.for([
  [0, "under a second"],
  [400, "under a second"],
  [1000, "1 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [83_000, "1 min 23 s"],
  [3_600_000, "1 h"],
  [5_520_000, "1 h 32 min"],
] as const)("%i ms is %s", ([ms, words]) => {
  expect(durationText(ms)).toBe(words);
});

test("a moment in an input is read back as the same minute, in any zone", () => {
  for (const at of ["2026-11-15T12:34:00.000Z", "2027-03-28T01:30:00.000Z", "2026-01-01T00:00:00.000Z"]) {
    expect(fromLocalInput(toLocalInput(at))).toBe(at);
  }
});

test("an empty or incomplete input is no moment", () => {
  expect(fromLocalInput("")).toBeUndefined();
  expect(fromLocalInput("2026-11")).toBe("2026-11-01T00:00:00.000Z");
  expect(fromLocalInput("soon")).toBeUndefined();
});

test.for([
  [0, "UTC"],
  [120, "UTC+2"],
  [-210, "UTC−3:30"],
  [345, "UTC+5:45"],
] as const)("a zone %i minutes ahead of UTC is %s", ([minutes, text]) => {
  expect(zoneOf(new Date(), minutes)).toBe(text);
});
