import { expect, test } from "vitest";
import { Id, newId } from "./ids.ts";

test("ids are UUIDs of version 7 that begin with the time", () => {
  const id = newId({ now: () => new Date("2026-11-15T12:00:00.000Z") });
  expect(Id.parse(id)).toBe(id);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(Date.parse("2026-11-15T12:00:00.000Z"));
});

test("ids sort in the order in which they were made, whatever the clock does", () => {
  let time = Date.parse("2026-11-15T12:00:00.000Z");
  const clock = { now: () => new Date(time) };
  const ids = Array.from({ length: 20_000 }, (_, made) => {
    if (made === 5_000) time += 10_000;
    if (made === 10_000) time -= 60_000;
    return newId(clock);
  });
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});
