import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["tests/install-tarball.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
