import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["tests/install-tarball.ts", "@querybell/testkit/postgres"],
    testTimeout: 60_000,
    // A production build of Next, on a busy machine.
    hookTimeout: 180_000,
  },
});
