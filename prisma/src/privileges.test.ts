import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { Transform } from "node:stream";
import { createBareDatabase, createDatabase, startThrowawayPostgres } from "@querybell/embedded-postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { readDatabaseState } from "./database-state.ts";
import { applyMigrations, MigrationError, neededGrants } from "./index.ts";

let server: Awaited<ReturnType<typeof startThrowawayPostgres>>;
beforeAll(async () => {
  server = await startThrowawayPostgres();
});
afterAll(() => server.stop());

const failureOf = (url: string) =>
  applyMigrations(url).then(
    () => expect.unreachable("it was migrated"),
    (error: unknown) => error,
  );

describe("a role", () => {
  test("with the documented privileges and no others migrates", async () => {
    await using database = await createBareDatabase(server, (...names) =>
      Object.values(neededGrants(...names)),
    );
    await applyMigrations(database.url);
    const pool = new pg.Pool({ connectionString: database.url });
    expect((await readDatabaseState(pool)).pending).toEqual([]);
    await pool.end();
  });

  test.each([
    ["connect", /permission denied for database/],
    ["createSchemas", /Make it the owner of the database .*: GRANT CREATE ON DATABASE (\w+) TO \1\.$/],
    ["createTables", /Make it the owner of the database .*: GRANT USAGE, CREATE ON SCHEMA public TO \w+\.$/],
  ] as const)("that lacks %s is refused with what to do", async (missing, sentence) => {
    await using database = await createBareDatabase(server, (...names) => {
      const { [missing]: _, ...others } = neededGrants(...names);
      return Object.values(others);
    });
    expect(String(await failureOf(database.url))).toMatch(sentence);
  });

  test("gets them as docs/operating.md says", async () => {
    const docs = await readFile(new URL("../../docs/operating.md", import.meta.url), "utf8");
    for (const grant of Object.values(neededGrants("querybell", "querybell")))
      expect(docs).toContain(`${grant};`);
  });
});

/** The server as an older one: the texts of its version are replaced by others of the same length. */
async function startOlderServer(): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const older = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname);
    const replace = new Transform({
      transform: (chunk: Buffer, _, done) =>
        done(
          null,
          Buffer.from(
            chunk.toString("latin1").replaceAll("18.4", "17.4").replaceAll("180004", "170004"),
            "latin1",
          ),
        ),
    });
    for (const stream of [incoming, outgoing]) stream.on("error", () => {});
    incoming.pipe(outgoing).pipe(replace).pipe(incoming);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void older.close());
  await once(older, "listening");
  const url = new URL(server.url);
  url.port = String((older.address() as AddressInfo).port);
  return url.href;
}

test("an older Postgres is refused before anything else", async () => {
  const failure = await failureOf(await startOlderServer());
  expect(failure).toBeInstanceOf(MigrationError);
  expect(failure).toMatchObject({
    message:
      "The database server is Postgres 17.4, and Querybell needs Postgres 18 or newer. Upgrade the server, or use another one.",
  });
});

test("a read-only database and one of a newer version are refused", async () => {
  await using database = await createDatabase(server);
  const readOnly = new URL(database.url);
  readOnly.searchParams.set("options", "-c default_transaction_read_only=on");
  expect(await failureOf(readOnly.href)).toMatchObject({ message: expect.stringMatching(/is read-only: /) });

  await applyMigrations(database.url);
  const pool = new pg.Pool({ connectionString: database.url });
  await pool.query(
    "INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name) VALUES ('later', '', now(), '29990101000000_later')",
  );
  await pool.end();
  expect(await failureOf(database.url)).toMatchObject({
    message: expect.stringMatching(/does not know: 29990101000000_later\. Run the version that/),
  });
});
