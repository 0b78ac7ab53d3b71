import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createReceiver, type DedupeStore } from "../src/index.node.ts";
import { memoryDedupe } from "../src/memory.ts";
import { dedupeTable, postgresDedupe } from "../src/postgres.ts";
import { startPostgres } from "./postgres-server.ts";
import { readmeExamples } from "./readme-examples.ts";
import { createTestSecret, signedHeaders } from "./sender.ts";

const hours = 3600;
let time = Date.now();
let redisDedupe: (command: ReturnType<typeof fakeRedis>) => DedupeStore;
let database: Awaited<ReturnType<typeof startPostgres>>;

beforeAll(async () => {
  database = await startPostgres();
  await database.pool.query(dedupeTable());
  const [recipe = ""] = (await readmeExamples()).filter((code) => code.includes("function redisDedupe"));
  const file = join(inject("emptyProject"), "redis-recipe.ts");
  await writeFile(file, recipe);
  ({ redisDedupe } = await import(file));
});
afterAll(() => database[Symbol.asyncDispose]());

interface Subject {
  store(): DedupeStore;
  pass(seconds: number): Promise<void>;
}

const passInTests = async (seconds: number) => {
  time += seconds * 1000;
};

const subjects: [string, Subject][] = [
  ["memory", { store: () => memoryDedupe({ clock: () => time }), pass: passInTests }],
  ["README's Redis", { store: () => redisDedupe(fakeRedis()), pass: passInTests }],
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
    },
  ],
];

describe.each(subjects)("the %s store", (_, { store: create, pass }) => {
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

describe("the Postgres store", () => {
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
    const store = postgresDedupe({ query: async () => ({ rows: [] }) });
    await expect(store.claim("a")).rejects.toThrow("pass a pg pool");
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

function receiving(dedupe: DedupeStore) {
  const secret = createTestSecret();
  const body = "{}";
  return {
    receiver: createReceiver({ secrets: secret, dedupe }),
    request: { headers: signedHeaders({ secret, body }), body },
  };
}

/** As much of Redis as the README's recipe uses. */
function fakeRedis() {
  const entries = new Map<string, { value: string; lapsesAt: number }>();
  const get = (key: string) => {
    const entry = entries.get(key);
    return entry && entry.lapsesAt > time ? entry.value : null;
  };
  return async (name: string, ...args: string[]): Promise<unknown> => {
    const [first = "", second = "", key = "", token] = args;
    if (name === "GET") return get(first);
    if (name === "EVAL") return get(key) === token && entries.delete(key);
    if (args.includes("NX") && get(first) !== null) return null;
    entries.set(first, { value: second, lapsesAt: time + Number(args.at(-1)) * 1000 });
    return "OK";
  };
}
