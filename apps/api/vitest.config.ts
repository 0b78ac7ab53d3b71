import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["@querybell/testkit/postgres"],
    // Only to end what hangs: a busy machine is no reason to fail.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
