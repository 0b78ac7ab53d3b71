// Packs the kit once and installs the tarball as a customer would: the tests of what is published see nothing of
// the sources. The kit has no dependencies, so the install needs no registry.
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { packKit } from "../src/kit.ts";
import { runIn, writeFiles } from "../src/project.ts";

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

const root = join(import.meta.dirname, "..");

export default async function setup({ provide }: TestProject) {
  const temporary = await mkdtemp(join(tmpdir(), "webhook-receiver-"));
  const tarball = await packKit(temporary);
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
  await writeFiles(project, { "package.json": '{ "private": true, "type": "module" }' });
  await runIn(project, "npm", ["install", "--offline", "--no-audit", "--no-fund", tarball]);
}
