import { expect, test } from "vitest";
import { createTtlCache } from "./ttl-cache.ts";

function createTestCache(load: (key: string) => Promise<string>, maxEntries = 100) {
  let now = 0;
  const clock = { now: () => new Date(now) };
  const cache = createTtlCache({ clock, lifetimeMs: 5000, maxEntries, load });
  const advance = (ms: number) => {
    now += ms;
  };
  return { cache, advance };
}

test("the lifetime counts from the start of the load, so no older value is returned", async () => {
  let truth = "old";
  const answers: (() => void)[] = [];
  const { cache, advance } = createTestCache(
    () =>
      new Promise((resolve) => {
        const seen = truth;
        answers.push(() => resolve(seen));
      }),
  );
  const first = cache.get("key");
  truth = "new";
  advance(4999);
  const second = cache.get("key");
  advance(1);
  const third = cache.get("key");
  for (const answer of answers) answer();
  expect(await Promise.all([first, second, third])).toEqual(["old", "old", "new"]);
});

test("a failed load is not cached", async () => {
  let fails = true;
  const { cache } = createTestCache(async () => {
    if (fails) throw new Error("gone");
    return "back";
  });
  await expect(cache.get("key")).rejects.toThrow("gone");
  fails = false;
  await expect(cache.get("key")).resolves.toBe("back");
});

test("the oldest entry is evicted when there are too many", async () => {
  const loads: string[] = [];
  const { cache } = createTestCache(async (key) => {
    loads.push(key);
    return key;
  }, 2);
  for (const key of ["a", "b", "c", "c", "b", "a"]) await cache.get(key);
  expect(loads).toEqual(["a", "b", "c", "a"]);
});

test("deleting removes what matches and what is still being loaded", async () => {
  let truth = "old";
  const answers: (() => void)[] = [];
  const { cache } = createTestCache((key) => {
    const seen = `${key} ${truth}`;
    return key === "slow"
      ? new Promise((resolve) => answers.push(() => resolve(seen)))
      : Promise.resolve(seen);
  });
  await Promise.all([cache.get("matching"), cache.get("other")]);
  const slow = cache.get("slow");
  truth = "new";
  cache.deleteWhere((value) => value.startsWith("matching"));
  const again = cache.get("slow");
  for (const answer of answers) answer();
  expect(await Promise.all([slow, again])).toEqual(["slow old", "slow new"]);
  expect(await cache.get("matching")).toBe("matching new");
  expect(await cache.get("other")).toBe("other old");
});
