// Builds and packs the kit once, and installs the tarball as a customer would: the tests of what is published
// see nothing of the sources. The kit has no dependencies, so the install needs no registry.
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The packed kit. */
    tarball: string;
    /** A project that has the kit installed and nothing else, far from the workspace. */
    emptyProject: string;
    /** A project that has the kit installed, and finds the frameworks that this package pins. */
    frameworkProject: string;
  }
}

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");

export default async function setup({ provide }: TestProject) {
  const temporary = await mkdtemp(join(tmpdir(), "webhook-receiver-"));
  await run(process.execPath, ["scripts/build.ts"], { cwd: root });
  await run("npm", ["pack", "--pack-destination", temporary], { cwd: root });
  const [name = ""] = (await readdir(temporary)).filter((file) => file.endsWith(".tgz"));
  const tarball = join(temporary, name);
  const emptyProject = join(temporary, "project");
  const frameworkProject = join(root, ".consumer");
  await Promise.all([emptyProject, frameworkProject].map((project) => install(project, tarball)));
  await cp(join(root, "tests/consumers"), frameworkProject, { recursive: true });
  provide("tarball", tarball);
  provide("emptyProject", emptyProject);
  provide("frameworkProject", frameworkProject);
  return async () => {
    await rm(temporary, { recursive: true });
    await rm(frameworkProject, { recursive: true });
  };
}

async function install(project: string, tarball: string): Promise<void> {
  await rm(project, { recursive: true, force: true });
  await mkdir(project);
  await writeFile(join(project, "package.json"), '{ "private": true, "type": "module" }');
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: project });
}
