import { defineConfig } from "vitest/config";

/** For every package. Time-outs are only to end what hangs: a busy machine is no reason to fail. */
export default defineConfig({ test: { testTimeout: 180_000, hookTimeout: 180_000 } });
