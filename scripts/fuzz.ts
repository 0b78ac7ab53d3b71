// pnpm fuzz: calls every procedure and route of the api with generated inputs, and checks every answer.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

const usage = `Usage: pnpm fuzz [options]
  --seconds <n>  how long (900)
  --rounds <n>   at most this many rounds
  --calls <n>    calls of each operation in a round (50)
  --seed <n>     the seed of the first round; each next one has the next number (random)
  --only <text>  only procedures and routes whose name contains it, like queries.run`;

const text = { type: "string" } as const;

function readOptions() {
  try {
    const options = { seconds: text, rounds: text, calls: text, seed: text, only: text };
    return parseArgs({ options }).values;
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(reason: string): never {
  console.error(`${reason}\n${usage}`);
  process.exit(2);
}

const {
  seconds = "900",
  rounds = "1000000",
  calls = "50",
  seed = String(randomInt(1e9)),
  only = "",
} = readOptions();
for (const [name, value] of Object.entries({ seconds, rounds, calls })) {
  if (!/^[1-9]\d{0,8}$/.test(value)) refuse(`--${name} must be a whole number from 1 to 999999999.`);
}
if (!/^\d{1,9}$/.test(seed)) refuse("--seed must be a whole number from 0 to 999999999.");
if (only !== "") {
  const { operations } = await import("@querybell/api/fuzz-operations");
  if (!operations.some(({ name }) => name.includes(only))) {
    refuse(`No procedure or route has a name that contains ${only}.`);
  }
}
console.log(`Seed ${seed}.`);
const { status } = spawnSync(
  "vitest",
  ["run", "src/fuzz.test.ts", "--testTimeout=0", "--disable-console-intercept"],
  {
    cwd: resolve(import.meta.dirname, "../apps/api"),
    stdio: "inherit",
    env: {
      ...process.env,
      FUZZ_SECONDS: seconds,
      FUZZ_ROUNDS: rounds,
      FUZZ_CALLS: calls,
      FUZZ_SEED: seed,
      FUZZ_ONLY: only,
    },
  },
);
process.exitCode = status ?? 1;
