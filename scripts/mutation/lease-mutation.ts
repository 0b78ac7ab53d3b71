import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { repository } from "../checks.ts";
import { leaseMutants, type Mutant } from "./lease-mutants.ts";
import type { MutationResult, Survivor } from "./survivor.ts";

/** The tests that must notice the changes, by the app or package they are in. */
const tests = {
  runs: [
    { folder: "apps/worker", files: ["src/leases.test.ts", "src/fair-claims.test.ts"] },
    { folder: "apps/api", files: ["src/routers/external-agents.test.ts"] },
  ],
  pumps: [{ folder: "packages/webhooks", files: ["src/pump/leases.test.ts"] }],
};

/** Makes each change of the list alone, runs the tests, and restores the file, also when it is stopped. */
export async function testLeases(): Promise<MutationResult> {
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));
  const survivors: Survivor[] = [];
  let mutants = 0;
  for (const kind of ["pumps", "runs"] as const) {
    if (!(await passes(kind)))
      throw new Error(`The tests of ${kind} fail without any change. Mend them first.`);
    for (const mutant of leaseMutants[kind]) {
      mutants++;
      const isSurvivor = await survives(mutant, kind);
      console.log(`${mutants} ${isSurvivor ? "survived" : "killed"}: ${toSurvivor(mutant).change}`);
      if (isSurvivor) survivors.push(toSurvivor(mutant));
    }
  }
  return { mutants, survivors };
}

async function survives({ file, from, to }: Mutant, kind: keyof typeof tests): Promise<boolean> {
  const source = readFileSync(resolve(repository, file), "utf8");
  if (source.split(from).length !== 2) throw new Error(`${file} must have once: ${from}`);
  const path = file.startsWith(functions) ? migrationWith(source) : resolve(repository, file);
  const before = readFileSync(path, "utf8");
  const restore = () => writeFileSync(path, before);
  process.on("exit", restore);
  const mutated = source.replace(from, () => to).trim();
  writeFileSync(
    path,
    before.replace(source.trim(), () => mutated),
  );
  try {
    return await passes(kind);
  } finally {
    restore();
    process.off("exit", restore);
  }
}

const functions = "prisma/functions/";

/** Tests get a function from the migration that has its text. */
function migrationWith(source: string): string {
  const paths = globSync("prisma/migrations/*/migration.sql", { cwd: repository });
  const path = paths.find((name) => readFileSync(resolve(repository, name), "utf8").includes(source.trim()));
  if (path === undefined) throw new Error(`No migration has the text: ${source}`);
  return resolve(repository, path);
}

/** A change can make a test wait forever. No test of these takes as long without a change. */
const limit = "--testTimeout=60000";

async function passes(kind: keyof typeof tests): Promise<boolean> {
  for (const { folder, files } of tests[kind]) {
    const cwd = resolve(repository, folder);
    const run = spawn("vitest", ["run", "--bail=1", limit, ...files], { cwd, stdio: "ignore" });
    const stop = () => run.kill();
    process.on("exit", stop);
    const [status] = await once(run, "exit");
    process.off("exit", stop);
    if (status !== 0) return false;
  }
  return true;
}

const toSurvivor = ({ file, from, to }: Mutant): Survivor => ({
  file,
  line: from.trim(),
  change: `${from.trim()} → ${to.trim()}`,
});
