import { startThrowawayPostgres } from "@querybell/embedded-postgres";
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "./database.ts";
import { toAppError } from "./to-app-error.ts";

let server: Awaited<ReturnType<typeof startThrowawayPostgres>>;
beforeAll(async () => {
  server = await startThrowawayPostgres();
});
afterAll(() => server.stop());

/** A database whose connections can be cut, as by a server that was killed. */
function openFragile(parameters = "") {
  const database = openDatabase({
    url: `${server.url}${parameters}`,
    poolSize: 2,
    onConnectionError: () => {},
  });
  const clients = new Set<pg.PoolClient>();
  database.pool.on("connect", (client) => clients.add(client));
  const cut = () => {
    for (const client of clients) Reflect.get(client, "connection").stream.destroy();
  };
  return { ...database, cut, [Symbol.asyncDispose]: () => database.close() };
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable("it succeeded"),
    (error: unknown) => toAppError(error),
  );

describe("a connection that breaks", () => {
  test("while a statement runs counts as unavailable, and so does every use of it afterwards", async () => {
    await using db = openFragile();
    const client = await db.pool.connect();
    const sleeping = failureOf(client.query("SELECT pg_sleep(5)"));
    db.cut();
    expect(await sleeping).toMatchObject({ code: "unavailable" });
    expect(await failureOf(client.query("SELECT 1"))).toMatchObject({ code: "unavailable" });
    client.release(true);
  });

  test("in a transaction counts as unavailable", async () => {
    await using db = openFragile();
    const work = db.transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1`;
      db.cut();
      await tx.$queryRaw`SELECT 2`;
    });
    expect(await failureOf(work)).toMatchObject({ code: "unavailable" });
  });
});

test("an error of Prisma's adapter about the connection, which has no code, counts as unavailable", () => {
  for (const kind of ["ConnectionClosed", "DatabaseNotReachable", "SocketTimeout"]) {
    const error = Object.assign(new Error(kind), { name: "DriverAdapterError", cause: { kind } });
    expect(toAppError(error)).toMatchObject({ code: "unavailable" });
  }
});

test("what a pooler, a network and a new password say about the connection counts as unavailable", async () => {
  await using db = openFragile();
  const raise = (code: string) =>
    `DO $$ BEGIN RAISE EXCEPTION 'server conn crashed?' USING ERRCODE = '${code}'; END $$`;
  // As PgBouncer says it, and as a server that has another password.
  for (const code of ["08P01", "28P01"]) {
    expect(await failureOf(db.pool.query(raise(code)))).toMatchObject({ code: "unavailable" });
    expect(await failureOf(db.prisma.$executeRawUnsafe(raise(code)))).toMatchObject({ code: "unavailable" });
  }
  for (const code of ["EHOSTUNREACH", "EAI_AGAIN"]) {
    expect(toAppError(Object.assign(new Error("connect"), { code }))).toMatchObject({ code: "unavailable" });
  }
});

test("a full disk is named, whichever way the statement came", async () => {
  await using db = openFragile();
  const raise = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$";
  const full = { code: "unavailable", message: expect.stringContaining("no room left on the disk") };
  expect(await failureOf(db.pool.query(raise))).toMatchObject(full);
  expect(await failureOf(db.prisma.$executeRawUnsafe(raise))).toMatchObject(full);
  expect(await failureOf(db.transaction((tx) => tx.$executeRawUnsafe(raise)))).toMatchObject(full);
});

test("a database that does not accept writes is named, whichever way the statement came", async () => {
  await using db = openFragile("?options=-c%20default_transaction_read_only%3Don");
  const write = "CREATE TABLE refused ()";
  const refused = { code: "unavailable", message: expect.stringContaining("read-only at the moment") };
  expect(await failureOf(db.pool.query(write))).toMatchObject(refused);
  expect(await failureOf(db.transaction((tx) => tx.$executeRawUnsafe(write)))).toMatchObject(refused);
});

test("a standby that was not promoted yet counts as read-only", () => {
  const error = Object.assign(new Error("recovery is in progress"), { code: "55000" });
  expect(toAppError(error)).toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("read-only"),
  });
});

test("an error that no caller can cause is not converted", () => {
  expect(toAppError(new Error("a bug"))).toBeUndefined();
});
