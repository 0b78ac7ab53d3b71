import { describe, expect, test } from "vitest";
import { relativeTime } from "./relative-time.ts";

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
