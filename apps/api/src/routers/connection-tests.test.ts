import { closeDeps, openDeps } from "@querybell/core/open-deps";
import { listen } from "@querybell/core/testing";
import { PostgresSettings } from "@querybell/domain";
import { expect, vi } from "vitest";
import { engineSlots } from "../start.ts";
import { apiTest } from "../testing/api-test.ts";

const test = apiTest.extend("deps", { scope: "file" }, ({ settings, clock, onError }, { onCleanup }) => {
  const deps = openDeps({ settings, clock, onError, ...engineSlots });
  onCleanup(() => closeDeps(deps));
  return deps;
});

test("ten tests of a connection to a silent server hold up no other organization's, nor their own one's requests", async ({
  api,
  make,
}) => {
  const quiet = await make.owner();
  const quietClient = await api.signedIn(quiet);
  const { id } = await make.database(quiet, { engine: "postgres" });
  // So that the second call measures the wait for slots, and not the start of a process.
  await quietClient.databases.test.mutate({ id });

  let accepted = 0;
  const port = await listen(() => accepted++);
  const busyClient = await api.signedIn(await make.owner());
  const settings = PostgresSettings.parse({
    host: "127.0.0.1",
    port,
    database: "shop",
    user: "reader",
    tls: "off",
  });
  const connection = { engine: "postgres" as const, settings, credentials: { password: "none" } };
  const leaving = new AbortController();
  let ended = 0;
  const tests = Array.from({ length: 10 }, () =>
    busyClient.databases.testConnection
      .mutate(connection, { signal: leaving.signal })
      .catch(() => {})
      .finally(() => ended++),
  );
  await vi.waitFor(() => expect(accepted).toBe(2), { timeout: 60_000 });

  await quietClient.databases.test.mutate({ id });
  await busyClient.databases.list.query();
  expect(ended).toBe(0);
  leaving.abort();
  await Promise.all(tests);
});
