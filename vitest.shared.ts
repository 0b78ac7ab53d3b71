import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // For every package. Time-outs are only to end what hangs: a busy machine is no reason to fail.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Two cores: more files at once only wait for each other. Vitest takes this from each package's configuration,
    // not from the workspace's, and would run one file at a time on two cores.
    maxWorkers: 2,
  },
});
