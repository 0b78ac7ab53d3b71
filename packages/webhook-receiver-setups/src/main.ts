// `pnpm kit:setups [name …]`: packs the kit, installs it into a fresh project of each set-up, and sends the
// cases over HTTP; compiles the examples with each compiler. The exit code is 1 if anything failed.
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cases } from "./cases/index.ts";
import { checkTypes, compilers, createTypesProject } from "./check-types.ts";
import { packKit } from "./kit.ts";
import { createProject, writeFiles } from "./project.ts";
import { type Outcome, runCases } from "./run-cases.ts";
import { setups } from "./setups/index.ts";
import type { Setup } from "./setups/setup.ts";

interface Check {
  name: string;
  run(folder: string): Promise<Outcome>;
}

const folder = await mkdtemp(join(tmpdir(), "webhook-receiver-setups-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

const tarball = await packKit(folder);
let typesProject: Promise<void> | undefined;

const checks: Check[] = [
  ...setups.map((setup) => ({ name: setup.name, run: (project: string) => runSetup(setup, project) })),
  ...compilers.map((compiler) => ({
    name: `typescript ${compiler.version}`,
    async run() {
      const project = join(folder, "types");
      typesProject ??= createTypesProject(project, tarball);
      await typesProject;
      return checkTypes(compiler, project);
    },
  })),
];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !checks.some((check) => check.name === name));
if (unknown.length > 0) {
  console.error(`No set-up is called ${unknown.join(" or ")}. There are:`);
  for (const { name } of checks) console.error(`  ${name}`);
  process.exit(1);
}
const chosen = checks.filter(({ name }) => wanted.length === 0 || wanted.includes(name));

let failed = 0;
for (const { name, run } of chosen) {
  const { passed, total, failures } = await run(join(folder, name.replaceAll(/\W+/g, "-"))).catch(toOutcome);
  console.log(`${name}: ${passed} of ${total}`);
  for (const failure of failures) console.log(`  ${failure}`);
  if (failures.length > 0) failed++;
}
console.log(`${chosen.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function runSetup(setup: Setup, project: string): Promise<Outcome> {
  const { type = "module", dependencies } = setup;
  await createProject({ folder: project, type, dependencies, tarball });
  await writeFiles(project, await setup.files());
  await setup.build?.(project);
  return runCases(setup, project);
}

/** A set-up that cannot be installed, built or started fails all its cases. */
function toOutcome(error: unknown): Outcome {
  const failure = error instanceof Error ? error.message : String(error);
  return { passed: 0, total: cases.length, failures: [failure] };
}
