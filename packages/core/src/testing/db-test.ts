import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { shareQueryPlans } from "@querybell/db/testing";
import { findIsolation } from "@querybell/engine-hosts";
import { generateKey } from "@querybell/sealing";
import { createTestClock, createTestDatabase } from "@querybell/test-database";
import { inject, test } from "vitest";
import type { Auth } from "../identity/index.ts";
import { closeDeps, openDeps } from "../open-deps.ts";
import { createAutomationFactories } from "./automation-factories.ts";
import { createFactories } from "./factories.ts";
import { createQueryFactories } from "./query-factories.ts";

shareQueryPlans();

// Only ends tests that hang. A busy machine must not fail them.
const connectTimeoutMs = 120_000;
const closeWithinMs = 120_000;

/** Vitest has no timeout for cleanup, and a connection that is not released would block all other tests. */
async function tooLate(): Promise<never> {
  await setTimeout(closeWithinMs, undefined, { ref: false });
  throw new Error(
    "The database did not close: something that a test of this file started was never stopped.",
  );
}

/** A test with a real database, shared by the tests of one file, and a clock that the test advances. */
export const dbTest = test
  .extend("postgres", { scope: "file" }, () => inject("postgres"))
  .extend("sealingKeys", { scope: "file" }, () => generateKey("test"))
  .extend("database", { scope: "file" }, async ({ postgres }, { onCleanup }) => {
    const database = await createTestDatabase(postgres);
    onCleanup(() => database[Symbol.asyncDispose]());
    return database;
  })
  .extend("databaseUrl", { scope: "file" }, ({ database }) => database.url)
  // The product never uses it. For tests that create roles, or change what only a superuser may.
  .extend("superuserUrl", { scope: "file" }, ({ database }) => database.superuserUrl)
  .extend("clock", { scope: "file" }, ({ databaseUrl }) => createTestClock(databaseUrl))
  .extend("duckdbFolder", { scope: "file" }, ({ databaseUrl }, { onCleanup }) => {
    const { pathname } = new URL(databaseUrl);
    const folder = mkdtempSync(join(tmpdir(), `querybell-duckdb-${pathname.slice(1)}-`));
    onCleanup(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  })
  // A test that breaks things on purpose replaces this.
  .extend("onError", { scope: "file" }, () => (error: unknown) => console.error(error))
  .extend("publicUrl", { scope: "file" }, () => "http://localhost:4000")
  .extend("deploymentAdmins", { scope: "file" }, () => "operator@deployment.test")
  .extend(
    "settings",
    { scope: "file" },
    ({ databaseUrl, sealingKeys, duckdbFolder, publicUrl, deploymentAdmins }) => ({
      DATABASE_URL: databaseUrl,
      DATABASE_POOL_SIZE: 10,
      SEALING_KEYS: sealingKeys,
      PUBLIC_URL: publicUrl,
      PUBLIC_PAGES_URL: "http://localhost:4003",
      REST_COMPATIBILITY: "live" as const,
      ORGANIZATION_CREATION: "anybody" as const,
      DEPLOYMENT_ADMINS: deploymentAdmins,
      DUCKDB_FOLDER: duckdbFolder,
      ANALYTICS_NETWORKS: "127.0.0.0/8",
      MODEL_NETWORKS: "127.0.0.0/8",
      SMTP_URL: "smtp://127.0.0.1:1",
      WEBHOOK_ALLOW_LOOPBACK: true,
    }),
  )
  // The tests of engine-hosts run with every method of isolation. Without one, a host starts in two thirds of the time.
  .extend("isolation", { scope: "file" }, ({ duckdbFolder }) =>
    findIsolation({ setting: "none", dataFolder: duckdbFolder }),
  )
  // Hashing takes a tenth of a second, on purpose. A file with many sign-ins extends it with "fast".
  .extend("passwordHashes", { scope: "file" }, (): "real" | "fast" => "real")
  .extend(
    "deps",
    { scope: "file" },
    async ({ settings, clock, isolation, onError, passwordHashes }, { onCleanup }) => {
      // Tests ask no real name server for proofs of domains: nothing answers here.
      const nameServers = ["127.0.0.1:1"];
      const deps = openDeps({
        ...{ settings, clock, connectTimeoutMs, engineHosts: 4, isolation, nameServers, onError },
      });
      onCleanup(() => Promise.race([closeDeps(deps), tooLate()]));
      return passwordHashes === "real" ? deps : { ...deps, auth: withFastHashes(deps.auth) };
    },
  )
  .extend("make", { scope: "file" }, ({ deps, databaseUrl, duckdbFolder }) => {
    const queries = createQueryFactories(deps, { postgresUrl: databaseUrl, duckdbFolder });
    return { ...createFactories(deps), ...queries, ...createAutomationFactories(deps, queries) };
  });

/** Passwords are stored as they are. */
function withFastHashes(auth: Auth): Auth {
  const password = {
    hash: async (text: string) => `not hashed: ${text}`,
    verify: async ({ hash, password }: { hash: string; password: string }) =>
      hash === `not hashed: ${password}`,
  };
  const $context = auth.$context.then((context) => ({
    ...context,
    password: { ...context.password, ...password },
  }));
  return { ...auth, $context };
}
