import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The kit's folder in the workspace. */
export const kit = join(import.meta.dirname, "../../webhook-receiver");

/** Packs the kit as it is published, which builds it, and returns the tarball's path. */
export async function packKit(folder: string): Promise<string> {
  await run("npm", ["pack", "--pack-destination", folder], { cwd: kit });
  const [name] = (await readdir(folder)).filter((file) => file.endsWith(".tgz"));
  if (!name) throw new Error("npm packed nothing.");
  return join(folder, name);
}

/** The version of a package that this workspace pins. */
export function pinned(name: string): string {
  const manifest = join(import.meta.dirname, "../node_modules", name, "package.json");
  return JSON.parse(readFileSync(manifest, "utf8")).version;
}
