import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../../../..", import.meta.url));
const manifest = await readFile(join(repository, "package.json"), "utf8");
const { packageManager }: { packageManager: string } = JSON.parse(manifest);

// Offline: everything was downloaded when this workspace was installed.
const pnpm = (cwd: string, ...words: string[]) =>
  run("npx", ["--yes", "--prefer-offline", packageManager, ...words], { cwd });

export type InstalledClient = Awaited<ReturnType<typeof installClient>>;

/** The package as users get it: packed, and installed in an empty project with its dependencies. */
export async function installClient() {
  await mkdir(join(repository, ".data"), { recursive: true });
  const folder = await mkdtemp(join(repository, ".data/client-for-tests-"));
  try {
    await pnpm(join(repository, "packages/client"), "pack", "--out", join(folder, "client.tgz"));
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    // A separate workspace, so that pnpm links no package of ours.
    await writeFile(join(folder, "pnpm-workspace.yaml"), "packages: []\n");
    await pnpm(folder, "add", "--prefer-offline", "./client.tgz");
  } catch (error) {
    await rm(folder, { recursive: true });
    throw error;
  }
  return {
    folder,
    packages: async () => {
      const stored = await readdir(join(folder, "node_modules/.pnpm"));
      return stored.map((name) => name.replace(/(?<=.)@.*$/, "").replace("+", "/"));
    },
    /** The compiler's complaints about a program, and the files that it read. */
    typeCheck: async (program: string, ...options: string[]) => {
      const tsc = join(repository, "node_modules/typescript/bin/tsc");
      const words = [tsc, program, "--noEmit", "--strict", "--listFiles", ...options];
      const { stdout } = await run(process.execPath, words, { cwd: folder }).catch(
        (failed: { stdout: string }) => failed,
      );
      const lines = stdout.trim().split("\n");
      return {
        complaints: lines.filter((line) => line.includes("error TS")),
        filesRead: lines.filter((line) => line.startsWith("/")),
      };
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
