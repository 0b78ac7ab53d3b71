import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { logTicks, niceTicks } from "./scales.ts";
import { granularityOf, parseWallTime, timeTicks } from "./times.ts";

const free = { count: 5, fixed: [false, false], whole: false } as const;

describe("ticks of numbers", () => {
  test.each([
    [
      [0, 97],
      [0, 20, 40, 60, 80, 100],
    ],
    [
      [-3, 7],
      [-4, -2, 0, 2, 4, 6, 8],
    ],
    [
      [0, 0.3],
      [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3],
    ],
    [
      [5, 5],
      [2, 3, 4, 5, 6, 7, 8],
    ],
  ] as const)("%j has %j", (domain, ticks) => {
    expect(niceTicks(domain, free).ticks).toEqual(ticks);
  });

  test("are within the domain, which has all values, whatever they are", () => {
    const value = fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter((one) => one === 0 || Math.abs(one) > 1e-280);
    const largest = 1.7976931348623141e308;
    fc.assert(
      fc.property(value, fc.option(value), (a, other) => {
        const b = other ?? a;
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        const { domain, ticks } = niceTicks([low, high], free);
        expect(domain[0]).toBeLessThanOrEqual(low);
        expect(domain[1]).toBeGreaterThanOrEqual(high);
        expect(ticks.length).toBeGreaterThan(0);
        expect(ticks.every(Number.isFinite)).toBe(true);
        expect(ticks.length).toBeLessThan(20);
      }),
      {
        examples: [
          [-largest, null],
          [largest, null],
          [-largest, largest],
        ],
      },
    );
  });

  test("stay at ends that are given", () => {
    const { domain, ticks } = niceTicks([15, 97], { ...free, fixed: [true, true] });
    expect(domain).toEqual([15, 97]);
    expect(ticks).toEqual([20, 40, 60, 80]);
  });

  test("of a logarithmic axis are powers of ten", () => {
    expect(logTicks([3, 40_000], 6).ticks).toEqual([1, 10, 100, 1000, 10_000, 100_000]);
    expect(logTicks([2, 60], 8).ticks).toEqual([1, 2, 5, 10, 20, 50, 100]);
  });
});

describe("times", () => {
  const utc = () => 0;
  const at = (text: string) => parseWallTime(text, utc) ?? Number.NaN;

  test("are read as they are written, and with a zone on the clock of the reader", () => {
    const two = () => 7_200_000;
    expect(parseWallTime("2026-09", two)).toBe(Date.UTC(2026, 8));
    expect(parseWallTime("2026-09-01T10:00:00", two)).toBe(Date.UTC(2026, 8, 1, 10));
    expect(parseWallTime("2026-09-01T10:00:00Z", two)).toBe(Date.UTC(2026, 8, 1, 12));
    expect(parseWallTime("2026-09-01T10:00:00.5+02:00", two)).toBe(Date.UTC(2026, 8, 1, 10, 0, 0, 500));
    for (const other of ["2026-02-30", "2026-13-01", "20 September", "0001-01-01", 5, null])
      expect(parseWallTime(other, two)).toBeUndefined();
  });

  test("have the coarsest unit that tells them apart", () => {
    expect(granularityOf([at("2025-01-01"), at("2026-01-01")])).toBe("year");
    expect(granularityOf([at("2025-01-01"), at("2026-02-01")])).toBe("month");
    expect(granularityOf([at("2025-02-01"), at("2026-02-03")])).toBe("day");
    expect(granularityOf([at("2025-02-01T10:30:00"), at("2026-02-03")])).toBe("minute");
    expect(granularityOf([at("2025-02-01T10:30:01")])).toBe("second");
  });

  test("have ticks at round times, never finer than the data", () => {
    const months = timeTicks([at("2025-01-01"), at("2026-12-01")], 86_400_000 * 80, "month");
    expect(months.unit).toBe("month");
    expect(months.ticks.map((tick) => new Date(tick).toISOString().slice(0, 7))).toEqual([
      "2025-01",
      "2025-04",
      "2025-07",
      "2025-10",
      "2026-01",
      "2026-04",
      "2026-07",
      "2026-10",
    ]);
    const few = timeTicks([at("2025-01-01"), at("2025-03-01")], 1, "month");
    expect(few.ticks).toHaveLength(3);
    const weeks = timeTicks([at("2026-09-01"), at("2026-10-01")], 86_400_000 * 5, "day");
    expect(weeks.ticks.every((tick) => new Date(tick).getUTCDay() === 1)).toBe(true);
  });
});
