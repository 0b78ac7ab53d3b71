import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // For every package. Time-outs are only to end what hangs: a busy machine is no reason to fail.
    testTimeout: 400_000,
    hookTimeout: 400_000,
    // Tests wait for browsers, databases and other processes for a good part of their time, so there are more files at
    // once than cores. Vitest takes this from each package's configuration, not from the workspace's.
    maxWorkers: availableParallelism() * 2,
    // The files share nothing but the modules they load, and loading those takes longer than many a test.
    isolate: false,
  },
});
