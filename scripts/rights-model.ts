// pnpm rights-model: changes rights at random, reads, and compares what is shown with a model of the rights.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { seed: text, steps: text } });
const { seed = String(randomInt(1e9)), steps = "100000" } = values;
if (!/^\d{1,9}$/.test(seed) || !/^[1-9]\d{0,8}$/.test(steps)) {
  console.error("Usage: pnpm rights-model [--seed <n>] [--steps <n>]");
  process.exit(2);
}
console.log(`Seed ${seed}, ${steps} steps.`);
const { status } = spawnSync(
  "vitest",
  ["run", "src/access/rights-model.test.ts", "--testTimeout=0", "--disable-console-intercept"],
  {
    cwd: resolve(import.meta.dirname, "../packages/core"),
    stdio: "inherit",
    env: { ...process.env, RIGHTS_MODEL_SEED: seed, RIGHTS_MODEL_STEPS: steps },
  },
);
process.exitCode = status ?? 1;
