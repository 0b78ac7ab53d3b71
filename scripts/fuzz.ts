// pnpm fuzz: sends generated frames of hostile engine hosts to their parent, and hostile requests to the public process;
// then calls every procedure and route of the api with generated inputs, and checks every answer.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { resolve } from "node:path";
import { parseArgs } from "node:util";

const usage = `Usage: pnpm fuzz [options]
  --target <t>   frames, pages or calls (all)
  --frames <n>   frames of hostile engine hosts (100000)
  --requests <n> requests to public pages (200000)
  --seconds <n>  how long to call (900)
  --rounds <n>   at most this many rounds
  --calls <n>    calls of each operation in a round (50)
  --seed <n>     the seed of the first round; each next one has the next number (random)
  --only <text>  only procedures and routes whose name contains it, like queries.run`;

const text = { type: "string" } as const;

function readOptions() {
  try {
    const options = {
      target: text,
      frames: text,
      requests: text,
      seconds: text,
      rounds: text,
      calls: text,
      seed: text,
      only: text,
    };
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
  target,
  frames = "100000",
  requests = "200000",
  seconds = "900",
  rounds = "1000000",
  calls = "50",
  seed = String(randomInt(1e9)),
  only = "",
} = readOptions();
for (const [name, value] of Object.entries({ frames, requests, seconds, rounds, calls })) {
  if (!/^[1-9]\d{0,8}$/.test(value)) refuse(`--${name} must be a whole number from 1 to 999999999.`);
}
if (!/^\d{1,9}$/.test(seed)) refuse("--seed must be a whole number from 0 to 999999999.");
const targets = ["frames", "pages", "calls"];
if (target !== undefined && !targets.includes(target)) refuse("--target must be frames, pages or calls.");
const isWanted = (name: string) => target === undefined || target === name;
if (only !== "") {
  const { operations } = await import("@querybell/api/fuzz-operations");
  if (!operations.some(({ name }) => name.includes(only))) {
    refuse(`No procedure or route has a name that contains ${only}.`);
  }
}
console.log(`Seed ${seed}.`);
if (isWanted("frames")) {
  run("packages/engine-hosts", "src/hostile-frames.test.ts", { FUZZ_FRAMES: frames, FUZZ_SEED: seed });
}
if (isWanted("pages")) {
  run("apps/public", "src/hostile-requests.test.ts", { FUZZ_REQUESTS: requests, FUZZ_SEED: seed });
}
if (isWanted("calls")) {
  run("apps/api", "src/fuzz.test.ts", {
    FUZZ_SECONDS: seconds,
    FUZZ_ROUNDS: rounds,
    FUZZ_CALLS: calls,
    FUZZ_SEED: seed,
    FUZZ_ONLY: only,
  });
}

function run(folder: string, file: string, settings: Record<string, string>): void {
  const { status } = spawnSync("vitest", ["run", file, "--testTimeout=0", "--disable-console-intercept"], {
    cwd: resolve(import.meta.dirname, "..", folder),
    stdio: "inherit",
    env: { ...process.env, ...settings },
  });
  if (status !== 0) process.exitCode = status ?? 1;
}
