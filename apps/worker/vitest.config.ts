import { defineConfig } from "vitest/config";

export default defineConfig({ test: { globalSetup: ["@querybell/testkit/postgres"], testTimeout: 30_000 } });
