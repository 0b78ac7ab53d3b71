import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { uniqueNames } from "./to-parquet.ts";

test("any names become unique, and the first of equal ones is kept", () => {
  const name = fc.string({ unit: fc.constantFrom("a", "_", "1"), maxLength: 4 });
  fc.assert(
    fc.property(fc.array(name), (names) => {
      const unique = uniqueNames(names);
      expect(new Set(unique).size).toBe(names.length);
      for (const [at, one] of names.entries()) expect(unique[at]).toMatch(one || "column");
      expect(unique[0]).toBe(names[0] === "" ? "column" : names[0]);
    }),
  );
});

test("each of 10,000 equal names is looked up a few times, not once for every name before it", () => {
  const has = vi.spyOn(Set.prototype, "has");
  onTestFinished(() => has.mockRestore());
  const unique = uniqueNames(Array.from({ length: 10_000 }, () => "total"));
  const lookUps = has.mock.calls.length;
  expect(unique.slice(0, 3)).toEqual(["total", "total_1", "total_2"]);
  expect(unique.at(-1)).toBe("total_9999");
  expect(lookUps).toBeLessThanOrEqual(30_000);
});
