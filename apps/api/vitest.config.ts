import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["@querybell/testkit/postgres"],
    // The files share nothing but the modules they load, and loading those takes longer than many a test.
    isolate: false,
    // Only to end what hangs: a busy machine is no reason to fail.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
