import { randomUUID } from "node:crypto";
import { createTestSecret, signedHeaders } from "@querybell/webhook-test-sender";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createReceiver, type DedupeStore } from "../src/index.node.ts";
import { memoryDedupe } from "../src/memory.ts";
import { dedupeTable, postgresDedupe } from "../src/postgres.ts";
import { redisDedupe } from "../src/redis.ts";
import { startPostgres } from "./postgres-server.ts";
import { startRedis } from "./redis-server.ts";

const hours = 3600;
let time = Date.now();
let redis: Awaited<ReturnType<typeof startRedis>>;
let database: Awaited<ReturnType<typeof startPostgres>>;

beforeAll(async () => {
  database = await startPostgres();
  await database.pool.query(dedupeTable());
  redis = await startRedis();
});
afterAll(() => Promise.all([database[Symbol.asyncDispose](), redis[Symbol.asyncDispose]()]));

interface Subject {
  store(): DedupeStore;
  pass(seconds: number): Promise<void>;
  /** Marks an event as handled the way the kit did before endpoints had names. */
  handledBefore?(id: string): Promise<unknown>;
}

const subjects: [string, Subject][] = [
  [
    "memory",
    {
      store: () => memoryDedupe({ clock: () => time }),
      async pass(seconds) {
        time += seconds * 1000;
      },
    },
  ],
  [
    "ioredis",
    {
      store: () => redisDedupe((...args) => redis.ioredis.call(...args)),
      pass: (seconds) => redis.pass(seconds),
      handledBefore: (id) => redis.ioredis.set(`webhook:${id}`, "handled", "EX", 48 * hours),
    },
  ],
  [
    "node-redis",
    {
      store: () => redisDedupe((...args) => redis.nodeRedis.sendCommand(args)),
      pass: (seconds) => redis.pass(seconds),
      handledBefore: (id) => redis.nodeRedis.set(`webhook:${id}`, "handled"),
    },
  ],
  [
    "Postgres",
    {
      store: () => postgresDedupe(database.pool),
      // The store goes by the database's clock: for every row, time passes by moving its end nearer.
      async pass(seconds) {
        await database.pool.query(
          "update webhook_events set lapses_at = lapses_at - make_interval(secs => $1)",
          [seconds],
        );
      },
      handledBefore: (id) =>
        database.pool.query(
          "insert into webhook_events values ($1, gen_random_uuid(), true, now() + interval '48 hours')",
          [id],
        ),
    },
  ],
];

describe.each(subjects)("the %s store", (_, { store: create, pass }) => {
  test("endpoints that share it each handle an event, and each once", async () => {
    const store = create();
    const id = randomUUID();
    const ran: string[] = [];
    const receive = async (endpoint?: string) => {
      const { receiver, request } = receiving(store, { id, ...(endpoint && { endpoint }) });
      const acceptance = await receiver.accept(request);
      if (acceptance.kind === "accepted") await acceptance.run(() => ran.push(endpoint ?? "default"));
      return acceptance.kind;
    };
    for (const endpoint of ["billing", "search", undefined]) expect(await receive(endpoint)).toBe("accepted");
    for (const endpoint of ["billing", "search", "default"])
      expect(await receive(endpoint)).toBe("duplicate");
    expect(ran).toEqual(["billing", "search", "default"]);
  });

  test("a handler that runs for longer than a claim lasts keeps its claim", async () => {
    const store = create();
    const { receiver, request } = receiving(store);
    const acceptance = await receiver.accept(request);
    if (acceptance.kind !== "accepted") throw new Error("The first delivery was not accepted.");
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const finish = Promise.withResolvers<void>();
      const renewals: Promise<void>[] = [];
      const { renew } = store;
      store.renew = (key, token) => {
        const renewed = renew?.(key, token) ?? Promise.resolve();
        renewals.push(renewed);
        return renewed;
      };
      const handling = acceptance.run(() => finish.promise);
      for (let minutes = 0; minutes < 10; minutes += 2) {
        await pass(120);
        vi.advanceTimersByTime(120_000);
        await Promise.all(renewals.splice(0));
        expect(await receiver.accept(request)).toMatchObject({ kind: "in_progress" });
      }
      finish.resolve();
      await handling;
      vi.advanceTimersByTime(600_000);
      expect(renewals, "after the end").toEqual([]);
      expect(await receiver.accept(request)).toMatchObject({ kind: "duplicate" });
    } finally {
      vi.useRealTimers();
    }
  });

  test("of many claims at once one wins", async () => {
    const store = create();
    const id = randomUUID();
    const claims = await Promise.all(Array.from({ length: 8 }, () => store.claim(id)));
    expect(claims.filter(({ kind }) => kind === "claimed")).toHaveLength(1);
    expect(claims.filter(({ kind }) => kind === "in_progress")).toHaveLength(7);
  });

  test("a committed event is a duplicate for 48 hours, and not after", async () => {
    const store = create();
    const id = randomUUID();
    await store.commit(id, await claimed(store, id));
    await pass(48 * hours - 60);
    expect(await store.claim(id)).toEqual({ kind: "duplicate" });
    await pass(120);
    expect(await store.claim(id)).toMatchObject({ kind: "claimed" });
  });

  test("a released event can be claimed again", async () => {
    const store = create();
    const id = randomUUID();
    await store.release(id, await claimed(store, id));
    expect(await store.claim(id)).toMatchObject({ kind: "claimed" });
  });

  test("a claim lapses when its process has died", async () => {
    const store = create();
    const id = randomUUID();
    await claimed(store, id);
    await pass(299);
    expect(await store.claim(id)).toEqual({ kind: "in_progress" });
    await pass(2);
    expect(await store.claim(id)).toMatchObject({ kind: "claimed" });
  });

  test("a claim that lapsed cannot release the one that took over, and its commit counts", async () => {
    const store = create();
    const id = randomUUID();
    const late = await claimed(store, id);
    await pass(301);
    await claimed(store, id);
    await store.release(id, late);
    expect(await store.claim(id)).toEqual({ kind: "in_progress" });
    await store.commit(id, late);
    expect(await store.claim(id)).toEqual({ kind: "duplicate" });
  });

  test("a claim that lapsed cannot be renewed by the one that lost it", async () => {
    const store = create();
    const id = randomUUID();
    const late = await claimed(store, id);
    await pass(301);
    const current = await claimed(store, id);
    await store.renew?.(id, late);
    await store.release(id, current);
    expect(await store.claim(id)).toMatchObject({ kind: "claimed" });
  });

  test("an event that nobody has claimed is neither released nor renewed", async () => {
    const store = create();
    const id = randomUUID();
    await store.release(id, randomUUID());
    await store.renew?.(id, randomUUID());
    expect(await store.claim(id)).toMatchObject({ kind: "claimed" });
  });

  test("a release after the commit forgets nothing", async () => {
    const store = create();
    const id = randomUUID();
    const token = await claimed(store, id);
    await store.commit(id, token);
    await store.release(id, token);
    expect(await store.claim(id)).toEqual({ kind: "duplicate" });
  });

  test("two deliveries at once run the handler once, and the other is told to come again", async () => {
    const { receiver, request } = receiving(create());
    let runs = 0;
    const both = await Promise.all([receiver.accept(request), receiver.accept(request)]);
    expect(both.map(({ kind }) => kind).sort()).toEqual(["accepted", "in_progress"]);
    for (const acceptance of both) if (acceptance.kind === "accepted") await acceptance.run(() => runs++);
    expect(await receiver.accept(request)).toMatchObject({ kind: "duplicate" });
    expect(runs).toBe(1);
  });

  test("a handler that throws releases its claim, and its own error is told", async () => {
    const { receiver, request } = receiving(create());
    const failing = await receiver.accept(request);
    if (failing.kind !== "accepted") throw new Error("The first delivery was not accepted.");
    await expect(failing.run(() => Promise.reject(new Error("disk full")))).rejects.toThrow("disk full");
    expect(await receiver.accept(request)).toMatchObject({ kind: "accepted" });
  });

  test("a handler's error is told even when the claim cannot be released", async () => {
    const down = () => {
      throw new Error("store down");
    };
    for (const release of [down, async () => down()]) {
      const { receiver, request } = receiving({ ...create(), release });
      const failing = await receiver.accept(request);
      if (failing.kind !== "accepted") throw new Error("The first delivery was not accepted.");
      await expect(failing.run(() => Promise.reject(new Error("disk full")))).rejects.toThrow("disk full");
    }
  });
});

describe.each(subjects.filter(([, { handledBefore }]) => handledBefore))(
  "the %s store",
  (_, { store: create, handledBefore }) => {
    test("keeps as handled what was handled before endpoints had names, for the endpoint without one", async () => {
      const store = create();
      const id = randomUUID();
      await handledBefore?.(id);
      for (const [endpoint, kind] of [
        ["default", "duplicate"],
        ["billing", "accepted"],
        ["default.eu", "accepted"],
      ]) {
        const { receiver, request } = receiving(store, { id, ...(endpoint && { endpoint }) });
        expect(await receiver.accept(request)).toMatchObject({ kind });
      }
    });
  },
);

test("in the memory store a claim lapses also when it was made after an event that is still remembered", async () => {
  const store = memoryDedupe({ clock: () => time });
  await store.commit("handled", await claimed(store, "handled"));
  await claimed(store, "abandoned");
  time += 300_000;
  expect(await store.claim("abandoned")).toMatchObject({ kind: "claimed" });
  expect(await store.claim("handled")).toEqual({ kind: "duplicate" });
});

test("the memory store clears away what has lapsed, and nothing else", async () => {
  const store = memoryDedupe({ clock: () => time });
  for (const id of ["old", "older"]) await store.commit(id, await claimed(store, id));
  time += 48 * hours * 1000;
  await store.commit("new", await claimed(store, "new"));
  const deleted = vi.spyOn(Map.prototype, "delete");
  onTestFinished(() => deleted.mockRestore());
  await store.claim("new");
  expect(deleted.mock.calls.flat()).not.toContain("new");
  time += 48 * hours * 1000;
  await store.claim("other");
  expect(deleted.mock.calls.flat()).toContain("new");
});

test("the memory store clears away in the order in which events were handled, not in that of their claims", async () => {
  const store = memoryDedupe({ clock: () => time });
  const [first, second] = [await claimed(store, "first"), await claimed(store, "second")];
  await store.commit("second", second);
  time += 1000;
  await store.commit("first", first);
  time += 48 * hours * 1000 - 1000;
  const deleted = vi.spyOn(Map.prototype, "delete");
  onTestFinished(() => deleted.mockRestore());
  await store.claim("other");
  expect(deleted.mock.calls.flat()).toContain("second");
  expect(deleted.mock.calls.flat()).not.toContain("first");
});

describe("the claim of a running handler is renewed", () => {
  test.each([
    [30, 2],
    [undefined, 1],
  ])("as often as its store says (%s), or every minute", async (renewEverySeconds, expected) => {
    const renew = vi.fn(async () => {});
    const store = { ...memoryDedupe(), renew };
    const { renewEverySeconds: _, ...without } = store;
    const { receiver, request } = receiving(renewEverySeconds ? { ...store, renewEverySeconds } : without);
    const acceptance = await receiver.accept(request);
    if (acceptance.kind !== "accepted") throw new Error("The delivery was not accepted.");
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const finish = Promise.withResolvers<void>();
    const handling = acceptance.run(() => finish.promise);
    vi.advanceTimersByTime(60_000);
    expect(renew).toHaveBeenCalledTimes(expected);
    finish.resolve();
    await handling;
  });
});

test("a receiver without a store has every delivery handled", async () => {
  const { receiver, request } = receiving(undefined);
  for (const wanted of ["one", "two"]) {
    const acceptance = await receiver.accept(request);
    if (acceptance.kind !== "accepted") throw new Error("The delivery was not accepted.");
    const ran: string[] = [];
    await acceptance.run(() => ran.push(wanted));
    expect(ran).toEqual([wanted]);
    await expect(acceptance.run(() => Promise.reject(new Error("disk full")))).rejects.toThrow("disk full");
  }
});

describe("the Postgres store", () => {
  test("makes its table for any number of processes at once", async () => {
    for (let round = 0; round < 10; round++) {
      const { rows } = await database.pool.query("select gen_random_uuid()::text as name");
      const table = rows[0].name;
      await Promise.all(Array.from({ length: 8 }, () => database.pool.query(dedupeTable(table))));
    }
  });

  test("clears away what has lapsed, without a schedule", async () => {
    await database.pool.query(dedupeTable("swept"));
    const store = postgresDedupe(database.pool, { table: "swept" });
    for (const id of ["a", "b", "c"]) await store.commit(id, randomUUID());
    await database.pool.query("update swept set lapses_at = now() where id <> 'c'");
    await store.claim("d");
    const { rows } = await database.pool.query("select id from swept order by id");
    expect(rows).toEqual([{ id: "c" }, { id: "d" }]);
  });

  test("takes a table in another schema, whatever its name", async () => {
    const table = 'hooks.odd "name"';
    await database.pool.query("create schema hooks");
    await database.pool.query(dedupeTable(table));
    await database.pool.query(dedupeTable(table));
    expect(await postgresDedupe(database.pool, { table }).claim("a")).toMatchObject({ kind: "claimed" });
  });

  test("says when it was given something that is no client", async () => {
    for (const result of [{ rows: [] }, JSON.parse("{}"), JSON.parse("null")]) {
      const store = postgresDedupe({ query: async () => result });
      await expect(store.claim("a")).rejects.toThrow("pass a pg pool");
    }
  });
});

test("a store that would forget before the retries end is refused", () => {
  expect(() => memoryDedupe({ keepSeconds: 36 * hours })).toThrow("at least 172800");
  expect(() => memoryDedupe({ leaseSeconds: 0 })).toThrow("leaseSeconds");
});

test("a store is refused whose times no database can add", () => {
  for (const seconds of [Number.POSITIVE_INFINITY, JSON.parse('"172800"')]) {
    expect(() => memoryDedupe({ keepSeconds: seconds })).toThrow("keepSeconds must be a number");
    expect(() => memoryDedupe({ leaseSeconds: seconds })).toThrow("leaseSeconds must be a number");
  }
});

async function claimed(store: DedupeStore, id: string): Promise<string> {
  const claim = await store.claim(id);
  if (claim.kind !== "claimed") throw new Error(`The claim was ${claim.kind}.`);
  return claim.token;
}

// One for all, since the receivers are of one endpoint unless they are named.
const secret = createTestSecret();

function receiving(
  dedupe: DedupeStore | undefined,
  { id, endpoint }: { id?: string; endpoint?: string } = {},
) {
  const body = "{}";
  return {
    receiver: createReceiver({ secrets: secret, ...(dedupe && { dedupe }), ...(endpoint && { endpoint }) }),
    request: { headers: signedHeaders({ secret, body, ...(id && { id }) }), body },
  };
}

test.each(["", "a:b", "a b", "x".repeat(65)])("an endpoint cannot be named %j", (endpoint) => {
  expect(() => createReceiver({ secrets: createTestSecret(), endpoint })).toThrow("endpoint must be");
});

describe("receivers without a name on one store", () => {
  const warnings = () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    return () => warn.mock.calls.length;
  };
  const [first, second] = [createTestSecret(), createTestSecret()];

  const memory = memoryDedupe();
  test.each<[string, () => DedupeStore]>([
    ["memory", () => memory],
    // Two stores on one table are one store.
    ["Postgres", () => postgresDedupe(database.pool, { table: "unnamed" })],
  ])("are warned about when they are made: %s", (_, store) => {
    const count = warnings();
    createReceiver({ secrets: first, dedupe: store() });
    expect(count()).toBe(0);
    createReceiver({ secrets: second, dedupe: store() });
    expect(count()).toBe(1);
    expect(vi.mocked(console.warn).mock.calls[0]?.[0]).toMatch(/Name each: createReceiver\(\{ endpoint/);
  });

  test("are not warned about if they have a name, separate stores, or a secret in common", () => {
    const count = warnings();
    const store = memoryDedupe();
    createReceiver({ secrets: first, dedupe: store });
    createReceiver({ secrets: [second, first], dedupe: store });
    createReceiver({ secrets: second, dedupe: store });
    createReceiver({ secrets: createTestSecret(), dedupe: store, endpoint: "billing" });
    createReceiver({ secrets: createTestSecret(), dedupe: memoryDedupe() });
    createReceiver({ secrets: createTestSecret() });
    expect(count()).toBe(0);
  });
});
