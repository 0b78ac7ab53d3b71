import { freePort, startThrowawayPostgres } from "@querybell/embedded-postgres";
import { expect, test } from "vitest";
import { openDatabase } from "./database.ts";
import { explainConnectionFailure } from "./explain-connection-failure.ts";

async function explain(url: string): Promise<string | undefined> {
  const db = openDatabase({ url, poolSize: 2, onConnectionError: () => {} });
  try {
    await db.pool.query("SELECT 1");
    return "it connects";
  } catch (error) {
    return explainConnectionFailure(error);
  } finally {
    await db.close();
  }
}

test("the operator is told why there is no connection, and never the password", async () => {
  await using cleanup = new AsyncDisposableStack();
  const server = await startThrowawayPostgres();
  cleanup.defer(server.stop);
  const changed = (change: Partial<URL>) => Object.assign(new URL(server.url), change).href;
  const explained = {
    right: await explain(server.url),
    password: await explain(changed({ password: "hunter2" })),
    database: await explain(changed({ pathname: "/other" })),
    port: await explain(changed({ port: String(await freePort()) })),
    host: await explain(changed({ hostname: "no-such-host.invalid" })),
    tls: await explain(changed({ search: "?sslmode=verify-full" })),
    authority: await explain(changed({ search: "?sslmode=verify-full&sslrootcert=/no/such.pem" })),
  };
  expect(explained).toEqual({
    right: "it connects",
    password: expect.stringContaining("refuses the user, the password"),
    database: expect.stringContaining("no database of that name"),
    port: expect.stringContaining("No database answers"),
    host: expect.stringContaining("The host in DATABASE_URL is not known"),
    tls: expect.stringContaining("the server does not offer it"),
    authority: expect.stringContaining("cannot be read"),
  });
  expect(JSON.stringify(explained)).not.toContain("hunter2");
});

test("an error about something else is not explained", () => {
  expect(explainConnectionFailure(new Error("a bug"))).toBeUndefined();
});
