import { cp, mkdir, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { repository } from "../env.ts";

const copied = [
  "apps",
  "packages",
  "prisma",
  "package.json",
  "tsconfig.base.json",
  "docs",
  "README.md",
  "CONTRIBUTING.md",
];
const skipped = new Set([".bin", ".cache", ".turbo", ".vite", "dist"]);

/**
 * Copies the sources, so that a test can change them while other tests run. The links between packages are relative, so
 * they lead to the copies. Packages from the registry are those of the original.
 */
export async function copyCheckout(folder: string): Promise<void> {
  await mkdir(folder);
  for (const name of copied) {
    await cp(join(repository, name), join(folder, name), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !skipped.has(basename(source)),
    });
  }
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"));
}
