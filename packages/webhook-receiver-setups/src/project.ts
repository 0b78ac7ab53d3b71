import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface ProjectOptions {
  folder: string;
  type: "module" | "commonjs";
  /** Names and exact versions. */
  dependencies: Record<string, string>;
  /** The packed kit. */
  tarball: string;
}

/** A new project with the packed kit and its dependencies from the registry, as a customer would make it. */
export async function createProject({ folder, type, dependencies, tarball }: ProjectOptions): Promise<void> {
  const manifest = { private: true, type, dependencies };
  await writeFiles(folder, { "package.json": JSON.stringify(manifest) });
  await runIn(folder, "npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", tarball]);
}

/** Files by their paths in the folder. */
export type Files = Record<string, string>;

export async function writeFiles(folder: string, files: Files): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

/** Runs a command. Throws with its output if it fails. */
export async function runIn(cwd: string, program: string, args: string[]): Promise<string> {
  try {
    const { stdout } = await run(program, args, { cwd, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = Object(error);
    throw new Error(`${program} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
