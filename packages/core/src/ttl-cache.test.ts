import { expect, test } from "vitest";
import { createTtlCache } from "./ttl-cache.ts";

function memoryOf(load: (key: string) => Promise<string>, maxEntries = 100) {
  let now = 0;
  const clock = { now: () => new Date(now) };
  const memory = createTtlCache({ clock, lifetimeMs: 5000, maxEntries, load });
  const advance = (ms: number) => {
    now += ms;
  };
  return { memory, advance };
}

test("counts from the start of the load: what was true longer ago is never given out", async () => {
  let truth = "old";
  const answers: (() => void)[] = [];
  const { memory, advance } = memoryOf(
    () =>
      new Promise((resolve) => {
        const seen = truth;
        answers.push(() => resolve(seen));
      }),
  );
  const first = memory.get("key");
  truth = "new";
  advance(4999);
  const second = memory.get("key");
  advance(1);
  const third = memory.get("key");
  for (const answer of answers) answer();
  expect(await Promise.all([first, second, third])).toEqual(["old", "old", "new"]);
});

test("a load that fails is not remembered", async () => {
  let fails = true;
  const { memory } = memoryOf(async () => {
    if (fails) throw new Error("gone");
    return "back";
  });
  await expect(memory.get("key")).rejects.toThrow("gone");
  fails = false;
  await expect(memory.get("key")).resolves.toBe("back");
});

test("forgets the oldest when there are too many", async () => {
  const loads: string[] = [];
  const { memory } = memoryOf(async (key) => {
    loads.push(key);
    return key;
  }, 2);
  for (const key of ["a", "b", "c", "c", "b", "a"]) await memory.get(key);
  expect(loads).toEqual(["a", "b", "c", "a"]);
});
