import { expect, test } from "vitest";
import { Id, newId } from "./ids.ts";

test("ids sort in the order in which they were made, whatever the clock does", () => {
  const times = [5_000, 5_000, 5_000, 5_001, 4_000, 6_000];
  // More than fit into one millisecond's count, and all different.
  const ids = times.flatMap((time) =>
    Array.from({ length: 5_000 }, () => newId({ now: () => new Date(time) })),
  );
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test("an id is a UUIDv7 that begins with its time", () => {
  const now = new Date("2100-01-01T00:00:00.000Z");
  const id = newId({ now: () => now });
  expect(Id.parse(id)).toBe(id);
  expect(id[14]).toBe("7");
  expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(now.getTime());
});
