import { startThrowawayPostgres } from "@querybell/embedded-postgres";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createNotices, createOutgoingNotices } from "./notices.ts";

let server: Awaited<ReturnType<typeof startThrowawayPostgres>>;
let pool: pg.Pool;
beforeAll(async () => {
  server = await startThrowawayPostgres();
  pool = new pg.Pool({ connectionString: server.url });
});
afterAll(async () => {
  await pool.end();
  await server.stop();
});

/** Collects notices, and waits for the next. */
function createInbox() {
  const waiting: PromiseWithResolvers<string | undefined>[] = [];
  const arrived: (string | undefined)[] = [];
  return {
    receive(id: string | undefined) {
      const waiter = waiting.shift();
      if (waiter) waiter.resolve(id);
      else arrived.push(id);
    },
    async next(): Promise<string | undefined> {
      if (arrived.length > 0) return arrived.shift();
      const waiter = Promise.withResolvers<string | undefined>();
      waiting.push(waiter);
      return waiter.promise;
    },
  };
}

const tell = (id: string) => pool.query("SELECT pg_notify('querybell_run_changed', $1)", [id]);

test("a lost connection is reopened, and listeners are told to read again", async () => {
  const lost: Error[] = [];
  const notices = createNotices({ url: server.url, onConnectionError: (error) => lost.push(error) });
  const inbox = createInbox();
  notices.subscribe("querybell_run_changed", inbox.receive);
  expect(await inbox.next()).toBeUndefined();
  await tell("one");
  expect(await inbox.next()).toBe("one");

  await pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid()",
  );
  expect(await inbox.next()).toBeUndefined();
  expect(lost.length).toBeGreaterThan(0);
  await tell("two");
  expect(await inbox.next()).toBe("two");
  await notices.close();
});

test("no notice arrives after unsubscribing", async () => {
  const notices = createNotices({
    url: server.url,
    onConnectionError: (error) => expect.unreachable(error.message),
  });
  const heard: (string | undefined)[] = [];
  const inbox = createInbox();
  const unsubscribe = notices.subscribe("querybell_run_changed", (id) => heard.push(id));
  notices.subscribe("querybell_run_changed", inbox.receive);
  expect(await inbox.next()).toBeUndefined();
  unsubscribe();
  await tell("later");
  expect(await inbox.next()).toBe("later");
  expect(heard).toEqual([undefined]);
  await notices.close();
});

const failOnError = (error: Error) => expect.unreachable(error.message);

test("what is published reaches the listeners of every process, also what is left at the end", async () => {
  const sender = createNotices({ url: server.url, onConnectionError: failOnError });
  const listener = createNotices({ url: server.url, onConnectionError: failOnError });
  const inbox = createInbox();
  listener.subscribe("querybell_run_changed", inbox.receive);
  expect(await inbox.next()).toBeUndefined();
  const ids = Array.from({ length: 300 }, (_, index) => `row ${index}`);
  for (const id of ids) sender.publish("querybell_run_changed", [id]);
  const heard = [];
  while (heard.length < ids.length) heard.push(await inbox.next());
  expect(heard.toSorted()).toEqual(ids.toSorted());

  sender.publish("querybell_run_changed", ["first"]);
  sender.publish("querybell_run_changed", ["last"]);
  await sender.close();
  expect([await inbox.next(), await inbox.next()].toSorted()).toEqual(["first", "last"]);
  await listener.close();
});

test("publishing without a database is reported, and is no reason to stop", async () => {
  const errors: Error[] = [];
  const unreachable = createNotices({
    url: "postgresql://nobody@127.0.0.1:1/nothing",
    onConnectionError: (error) => errors.push(error),
  });
  unreachable.publish("querybell_run_changed", ["one"]);
  await unreachable.close();
  expect(errors.length).toBeGreaterThan(0);
});

test("what is published in one go is sent in one transaction", async () => {
  const batches: string[][] = [];
  const outgoing = createOutgoingNotices({
    async send(channels) {
      batches.push(channels);
    },
    onError: (error) => expect.fail(String(error)),
  });
  outgoing.add("querybell_automation_run_changed", ["1"]);
  outgoing.add("querybell_automation_run_ended", ["1"]);
  outgoing.add("querybell_deliveries_due", ["2", "3"]);
  await outgoing.close();
  expect(batches).toEqual([
    [
      "querybell_automation_run_changed",
      "querybell_automation_run_ended",
      "querybell_deliveries_due",
      "querybell_deliveries_due",
    ],
  ]);
});
