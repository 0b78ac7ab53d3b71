import { createServer } from "node:net";
import { startThrowawayPostgres } from "@querybell/embedded-postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase, publishAfterCommit } from "./database.ts";

let server: Awaited<ReturnType<typeof startThrowawayPostgres>>;
beforeAll(async () => {
  server = await startThrowawayPostgres();
});
afterAll(() => server.stop());

const open = (url: string) => openDatabase({ url, poolSize: 4, onConnectionError: () => {} });

test("closing waits until every connection is gone", async () => {
  const [closing, other] = [open(server.url), open(server.url)];
  await Promise.all([1, 2, 3].map(() => closing.pool.query("SELECT pg_sleep(0.01)")));
  await closing.close();
  const { rows } = await other.pool.query(
    "SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
  );
  expect(rows).toEqual([]);
  await other.close();
});

test("closing does not wait for connections that failed", async () => {
  // Accepts connections and closes them.
  const rude = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
  await new Promise((resolve) => rude.once("listening", resolve));
  const address = rude.address();
  if (address === null || typeof address === "string") throw new Error("It has no port.");
  const database = open(`postgresql://nobody@127.0.0.1:${address.port}/nothing`);
  const asked = database.pool.query("SELECT 1");
  await Promise.all([expect(asked).rejects.toThrow(), database.close()]);
  rude.close();
});

test("a connection plans a statement once, and keeps only so many plans", async () => {
  const database = open(server.url);
  const texts = Array.from({ length: 600 }, (_, number) => `SELECT ${number} AS number`);
  await database.transaction(async (tx) => {
    for (const round of [1, 2]) {
      for (const [number, text] of texts.entries()) {
        expect(await tx.$queryRawUnsafe(text), `round ${round}`).toEqual([{ number }]);
      }
    }
    const kept = await tx.$queryRaw`
      SELECT count(*)::int AS plans, max(generic_plans + custom_plans)::int AS uses
      FROM pg_prepared_statements WHERE statement LIKE 'SELECT % AS number'`;
    // Not 500: the statement that begins the transaction has a name too.
    expect(kept).toEqual([{ plans: 499, uses: 2 }]);
  });
  await database.close();
});

test("a transaction publishes its notices once it has committed, and none if it does not", async () => {
  const database = open(server.url);
  const heard: string[] = [];
  const heardAll = Promise.withResolvers<void>();
  const listening = Promise.withResolvers<void>();
  database.notices.subscribe("querybell_run_changed", (id) => {
    if (id === undefined) return listening.resolve();
    heard.push(id);
    if (id === "last") heardAll.resolve();
  });
  await listening.promise;
  const failing = database.transaction(async (tx) => {
    publishAfterCommit(tx, "querybell_run_changed", ["of the failed one"]);
    throw new Error("changed my mind");
  });
  await expect(failing).rejects.toThrow("changed my mind");
  await database.transaction(async (tx) => {
    publishAfterCommit(tx, "querybell_run_changed", ["committed"]);
    expect(heard).toEqual([]);
  });
  await database.transaction(async (tx) => publishAfterCommit(tx, "querybell_run_changed", ["last"]));
  await heardAll.promise;
  expect(heard).toEqual(["committed", "last"]);
  await database.close();
});
