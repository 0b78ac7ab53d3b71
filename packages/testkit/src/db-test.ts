import { type Deps, openDeps } from "@querybell/core";
import { generateKey } from "@querybell/sealing";
import { test } from "vitest";
import { createFactories, type Factories } from "./factories.ts";
import { createTestClock, type TestClock } from "./test-clock.ts";
import { createTestDatabase } from "./test-database.ts";

interface FileFixtures {
  databaseUrl: string;
  clock: TestClock;
  sealingKeys: string;
  deps: Deps;
  make: Factories;
}

/** A test with a real database, shared by the tests of one file, and a clock that the test moves. */
export const dbTest = test.extend<{ $file: FileFixtures }>({
  databaseUrl: [
    async ({}, use) => {
      await using database = await createTestDatabase();
      await use(database.url);
    },
    { scope: "file" },
  ],
  clock: [async ({ databaseUrl }, use) => use(createTestClock(databaseUrl)), { scope: "file" }],
  sealingKeys: [async ({}, use) => use(generateKey("test")), { scope: "file" }],
  deps: [
    async ({ databaseUrl, clock, sealingKeys }, use) => {
      const deps = openDeps({
        databaseUrl,
        poolSize: 10,
        sealingKeys,
        clock,
        deployment: { publicUrl: "http://localhost:4000", restCompatibility: "live", sendsMail: true },
        onError: (error) => console.error(error),
      });
      await use(deps);
      await deps.db.close();
    },
    { scope: "file" },
  ],
  make: [async ({ deps }, use) => use(createFactories(deps)), { scope: "file" }],
});
