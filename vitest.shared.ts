import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // For every package. Time-outs are only to end what hangs: a busy machine is no reason to fail.
    testTimeout: 400_000,
    hookTimeout: 400_000,
    expect: { poll: { timeout: 120_000 } },
    // One more file at once than cores: tests wait for other processes now and then, and more files would only make each
    // other slow. Vitest takes this from each package's configuration, not from the workspace's.
    maxWorkers: availableParallelism() + 1,
    // The files share nothing but the modules they load, and loading those takes longer than many a test. So a file changes
    // a fixture with `extend`, which makes a test of its own: `override` would change it for the files after it too.
    isolate: false,
  },
});
