import { expect, test } from "vitest";
import { ByteCache } from "./byte-cache.ts";

test("keeps what was used last, up to its size", () => {
  const cache = new ByteCache(10);
  const four = () => Buffer.alloc(4);
  cache.set("a", four());
  cache.set("b", four());
  expect(cache.get("a")).toHaveLength(4);
  cache.set("c", four());
  expect([cache.get("a")?.length, cache.get("b"), cache.get("c")?.length]).toEqual([4, undefined, 4]);
  // The same key again replaces its bytes, and does not count twice.
  cache.set("c", Buffer.alloc(6));
  expect([cache.get("a")?.length, cache.get("c")?.length]).toEqual([4, 6]);
  cache.set("d", Buffer.alloc(11));
  expect(cache.get("d")).toBeUndefined();
});
