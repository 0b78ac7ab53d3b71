import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    globalSetup: ["./test/postgres-server.ts"],
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
