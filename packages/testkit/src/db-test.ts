import { openDeps } from "@querybell/core";
import { generateKey } from "@querybell/sealing";
import { inject, test } from "vitest";
import { createFactories } from "./factories.ts";
import { createTestClock } from "./test-clock.ts";
import { createTestDatabase } from "./test-database.ts";

/** A test with a real database, shared by the tests of one file, and a clock that the test moves. */
export const dbTest = test
  .extend("serverUrl", { scope: "file" }, () => inject("postgresUrl"))
  .extend("sealingKeys", { scope: "file" }, () => generateKey("test"))
  .extend("databaseUrl", { scope: "file" }, async ({ serverUrl }, { onCleanup }) => {
    const database = await createTestDatabase(serverUrl);
    onCleanup(() => database[Symbol.asyncDispose]());
    return database.url;
  })
  .extend("clock", { scope: "file" }, ({ databaseUrl }) => createTestClock(databaseUrl))
  // A test that breaks things on purpose overrides this.
  .extend("onError", { scope: "file" }, () => (error: unknown) => console.error(error))
  .extend("deps", { scope: "file" }, async ({ databaseUrl, clock, sealingKeys, onError }, { onCleanup }) => {
    const deps = openDeps({
      settings: {
        DATABASE_URL: databaseUrl,
        DATABASE_POOL_SIZE: 10,
        SEALING_KEYS: sealingKeys,
        PUBLIC_URL: "http://localhost:4000",
        REST_COMPATIBILITY: "live",
        SMTP_URL: "smtp://127.0.0.1:1",
        WEBHOOK_ALLOW_LOOPBACK: true,
      },
      clock,
      onError,
    });
    onCleanup(() => deps.db.close());
    return deps;
  })
  .extend("make", { scope: "file" }, ({ deps }) => createFactories(deps));
