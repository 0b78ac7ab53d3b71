import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeDeps, openDeps } from "@querybell/core/open-deps";
import { deliveryTest } from "@querybell/core/testing/delivery-test";
import { receiveUpload } from "@querybell/core/uploads";
import type { Caller } from "@querybell/domain";
import { createBareDatabase, createDatabase, startThrowawayPostgres } from "@querybell/embedded-postgres";
import { neededGrants } from "@querybell/prisma";
import { createTestClock } from "@querybell/test-database";
import { createDeliveryTools } from "@querybell/webhooks/testing";
import { runCommand } from "../../run-command.ts";

/** A test with a database to back up, a new cluster to restore into, and the operator's commands on both. */
export const backupTest = deliveryTest
  .extend("folder", { scope: "test" }, async ({ settings: _ }, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), "querybell-backup-"));
    onCleanup(() => rm(folder, { recursive: true, force: true }));
    return folder;
  })
  .extend(
    "operator",
    { scope: "file" },
    ({ settings, clock, onError }) =>
      (...args: string[]) =>
        runCommand(args, () => ({
          deps: openDeps({ settings, clock, onError }),
          databaseUrl: settings.DATABASE_URL,
        })),
  )
  .extend(
    "upload",
    { scope: "file" },
    ({ deps }) =>
      (caller: Caller, text: string) =>
        receiveUpload(deps, caller, {
          fileName: "sales.csv",
          format: "csv",
          announcedBytes: undefined,
          content: (async function* () {
            yield Buffer.from(text);
          })(),
        }),
  )
  .extend("newCluster", { scope: "file" }, async ({ settings: _ }, { onCleanup }) => {
    const server = await startThrowawayPostgres();
    onCleanup(server.stop);
    return server;
  })
  /** Creates an empty database, with the dependencies of the use cases on it. */
  .extend("createDatabase", { scope: "test" }, ({ newCluster, settings, clock, onError }, { onCleanup }) => {
    const opened = new AsyncDisposableStack();
    onCleanup(() => opened.disposeAsync());
    return async () => {
      const { url } = await createDatabase(newCluster);
      const deps = openDeps({ settings: { ...settings, DATABASE_URL: url }, clock, onError });
      opened.defer(() => closeDeps(deps));
      return { url, deps, tools: createDeliveryTools(deps) };
    };
  })
  // An empty database of the new cluster, with a role that has no privilege more than it needs, and an empty folder.
  .extend(
    "place",
    { scope: "test" },
    async ({ newCluster, settings, clock, onError, folder }, { onCleanup }) => {
      const { url } = await createBareDatabase(newCluster, (...names) =>
        Object.values(neededGrants(...names)),
      );
      const own = { ...settings, DATABASE_URL: url, DUCKDB_FOLDER: join(folder, "restored") };
      const opened = new AsyncDisposableStack();
      onCleanup(() => opened.disposeAsync());
      return {
        dataFolder: own.DUCKDB_FOLDER,
        /** The operator's command there. */
        operator: (args: string[], keys = settings.SEALING_KEYS) =>
          runCommand(args, () => ({
            deps: openDeps({ settings: { ...own, SEALING_KEYS: keys }, clock, onError }),
            databaseUrl: url,
          })),
        /** The service there, with the time of the test. */
        start: async () => {
          const itsClock = createTestClock(url, clock.now());
          await itsClock.advance(0);
          const deps = openDeps({ settings: own, clock: itsClock, engineHosts: 1, onError });
          opened.defer(() => closeDeps(deps));
          return { deps, ...createDeliveryTools(deps) };
        },
      };
    },
  );
