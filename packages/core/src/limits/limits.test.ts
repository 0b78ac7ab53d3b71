import { describe, expect } from "vitest";
import { purgeExpiredIdentity } from "../retention/index.ts";
import { appError, dbTest } from "../testing/index.ts";
import { createRateLimiter, createSharedBuckets, createSubscriptionCounts } from "./index.ts";

let names = 0;
const onError = (error: unknown) => {
  throw error;
};

const test = dbTest.extend("openTwo", { scope: "file" }, ({ deps, clock }) => async () => {
  // The time of the database stands still too.
  await clock.advance(0);
  const options = { deps, name: `test ${++names}`, size: 80, perMinute: 80, onError };
  return [createSharedBuckets(options), createSharedBuckets(options)] as const;
});

describe("buckets", () => {
  test("of two processes count together, and refill with time", async ({ openTwo, clock }) => {
    const [one, other] = await openTwo();
    for (let calls = 0; calls < 40; calls++) one.count("caller");
    await one.close();
    expect([one.left("caller"), other.left("caller")]).toEqual([40, 80]);
    other.count("caller");
    other.count("another");
    await other.close();
    expect([other.left("caller"), other.left("another")]).toEqual([39, 79]);
    await clock.advance(15_000);
    expect(other.left("caller")).toBe(59);
    one.count("caller");
    await one.close();
    expect(one.left("caller")).toBe(58);
    await clock.advance(3_600_000);
    one.count("caller");
    await one.close();
    expect(one.left("caller")).toBe(79);
  });

  test("that two processes empty at once are below zero until time has made up for it", async ({
    openTwo,
    clock,
  }) => {
    const [one, other] = await openTwo();
    for (let calls = 0; calls < 80; calls++) one.count("caller");
    for (let calls = 0; calls < 20; calls++) other.count("caller");
    await one.close();
    await other.close();
    expect(other.left("caller")).toBe(-20);
    for (let calls = 0; calls < 500; calls++) other.count("caller");
    await other.close();
    expect(other.left("caller")).toBe(-80);
    await clock.advance(60_000);
    expect(other.left("caller")).toBe(0);
  });

  test("go on without the database, and tell the others later", async ({ deps, clock }) => {
    await clock.advance(0);
    const errors: unknown[] = [];
    let isDown = true;
    const query = (...args: [never]) =>
      isDown ? Promise.reject(new Error("down")) : deps.db.pool.query(...args);
    const db = { ...deps.db, pool: { query } as unknown as typeof deps.db.pool };
    const options = { name: `test ${++names}`, size: 80, perMinute: 80 };
    const one = createSharedBuckets({
      ...options,
      deps: { db, clock },
      onError: (error) => errors.push(error),
    });
    for (let calls = 0; calls < 30; calls++) one.count("caller");
    await one.close();
    expect([one.left("caller"), errors.length > 0]).toEqual([50, true]);
    isDown = false;
    await one.close();
    const other = createSharedBuckets({ ...options, deps, onError });
    other.count("caller");
    await other.close();
    expect(other.left("caller")).toBe(49);
  });

  test("that are full are deleted after an hour", async ({ openTwo, deps, clock }) => {
    const [one] = await openTwo();
    one.count("caller");
    await one.close();
    await clock.advance(3_600_001);
    await purgeExpiredIdentity(deps);
    expect(await deps.db.prisma.callBudget.count()).toBe(0);
  });

  test("limit a rate: whoever has used a minute's calls waits for the next", async ({ deps, clock }) => {
    await clock.advance(0);
    const limiter = createRateLimiter({ deps, name: `test ${++names}`, perMinute: 6, onError });
    for (let calls = 0; calls < 6; calls++) limiter.take("caller");
    const refused = appError("rate_limited", /Try again in 10 s\.$/);
    expect(() => limiter.take("caller")).toThrow(refused);
    await limiter.close();
    expect(() => limiter.take("caller")).toThrow(refused);
    await clock.advance(10_000);
    limiter.take("caller");
    expect(() => limiter.take("caller")).toThrow(refused);
    await limiter.close();
  });
});

describe("live subscriptions", () => {
  dbTest("of all processes are counted together, also those opened at once", async ({ deps }) => {
    const [one, other] = [
      createSubscriptionCounts({ deps, onError }),
      createSubscriptionCounts({ deps, onError }),
    ];
    const opened = await Promise.all(
      Array.from({ length: 10 }, (_, at) => (at % 2 ? one : other).open("person", 5)),
    );
    expect(opened.filter(Boolean)).toHaveLength(5);
    expect(await one.open("somebody else", 5)).toBe(true);
    const holder = opened.findIndex(Boolean) % 2 ? one : other;
    holder.close("person");
    expect([await holder.open("person", 5), await holder.open("person", 5)]).toEqual([true, false]);
    await one.stop();
    await other.stop();
    expect(await deps.db.prisma.openSubscription.count()).toBe(0);
  });

  dbTest("of a process that has died are not counted", async ({ deps, clock }) => {
    await clock.advance(0);
    const [dead, alive] = [
      createSubscriptionCounts({ deps, onError }),
      createSubscriptionCounts({ deps, onError }),
    ];
    expect(await dead.open("person", 2)).toBe(true);
    expect(await alive.open("person", 2)).toBe(true);
    await clock.advance(14_000);
    await alive.renew();
    expect(await alive.open("person", 2)).toBe(false);
    await clock.advance(1_000);
    expect([await alive.open("person", 2), await alive.open("person", 2)]).toEqual([true, false]);
  });
});
