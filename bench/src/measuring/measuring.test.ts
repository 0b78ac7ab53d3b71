import { execFileSync } from "node:child_process";
import { describe, expect, test, vi } from "vitest";
import { toLatencies } from "../webhooks/latency.ts";
import { median, monotonicMs, percentile, printFigures } from "./measuring.ts";

describe("a percentile", () => {
  test("is the value of the nearest rank", () => {
    const values = Array.from({ length: 200 }, (_, index) => 200 - index);
    expect([1, 50, 99, 100].map((percent) => percentile(values, percent))).toEqual([2, 100, 198, 200]);
    expect(percentile([7], 1)).toBe(7);
    expect(median([3, 1, 2])).toBe(2);
  });

  test.each([[[]], [[1, 0]], [[1, -0.5]], [[1, Number.NaN]], [[1, Number.POSITIVE_INFINITY]]])(
    "of %j cannot be",
    (values) => {
      expect(() => percentile(values, 50)).toThrow(/cannot be|Nothing was measured/);
    },
  );
});

describe("the latencies of deliveries", () => {
  const sentAt = new Map([
    ["a", 100],
    ["b", 101],
  ]);

  test("are the times from commit to arrival", () => {
    const arrivedAt = new Map([
      ["b", 104.5],
      ["a", 102],
    ]);
    expect(toLatencies(sentAt, arrivedAt)).toEqual([2, 3.5]);
  });

  test.each<[string, [string, number][]]>([
    [
      "an event arrives before it is committed",
      [
        ["a", 99.9],
        ["b", 104],
      ],
    ],
    ["an event does not arrive", [["a", 102]]],
  ])("fail if %s", (_what, arrivals) => {
    expect(() => toLatencies(sentAt, new Map(arrivals))).toThrow(/which cannot be/);
  });
});

test("the clock is the same in every process", () => {
  const program = `import { monotonicMs } from ${JSON.stringify(new URL("measuring.ts", import.meta.url).href)};
    console.log(monotonicMs());`;
  const before = monotonicMs();
  const there = Number(
    execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }),
  );
  expect(there).toBeGreaterThan(before);
  expect(there).toBeLessThan(monotonicMs());
});

describe("the last line of a bench", () => {
  const print = (name: string, values: Record<string, string | undefined>) => {
    using log = vi.spyOn(console, "log").mockReturnValue();
    printFigures(name, values);
    return log.mock.calls[0]?.[0];
  };

  test("has what was measured", () => {
    expect(print("runs", { overhead_ms: "21.1", rate_ratio: undefined })).toBe("runs overhead_ms=21.1");
    expect(print("web", { grid_long_frames: "0" })).toBe("web grid_long_frames=0");
    expect(print("dashboards", { agree: "999/1000" })).toBe("dashboards agree=999/1000");
  });

  test.each(["0.0", "NaN", "-1", "Infinity", "-", "1/0", "3/"])(
    "is not printed with the value %s",
    (value) => {
      expect(() => print("deliveries", { ratio: "0.5", p50_ms: value })).toThrow(/p50_ms=.* cannot be/);
    },
  );
});
