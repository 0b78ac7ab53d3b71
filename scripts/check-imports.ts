// Fails if a package imports another one that it must not, with the reason. pnpm lets code import only declared
// dependencies, so it is enough to check those, and relative paths that leave a package.
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import { allowed, reserved } from "./import-directions.ts";

const repository = resolve(import.meta.dirname, "..");
const problems = globSync("{apps/*,examples/*,packages/*,prisma}/package.json", { cwd: repository }).flatMap(
  (manifest) => {
    const folder = dirname(manifest);
    return [...checkDependencies(folder), ...checkPaths(folder)];
  },
);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

function checkDependencies(folder: string): string[] {
  const name = basename(folder);
  const { dependencies = {} } = JSON.parse(readFileSync(resolve(repository, folder, "package.json"), "utf8"));
  const rule = allowed[name];
  if (!rule) return [`${folder}: say in scripts/import-directions.ts what it may import.`];
  return Object.keys(dependencies).flatMap((dependency) => {
    const ours = dependency.match(/^@querybell\/(.*)$/)?.[1];
    if (ours && !rule.may.includes(ours)) {
      const list = rule.may.join(", ") || "nothing of ours";
      return [`${folder} must not import ${ours}: ${rule.because}. It may import ${list}.`];
    }
    const reservation = reserved[dependency];
    if (reservation && !reservation.for.includes(name)) {
      return [`${folder} must not depend on ${dependency}: ${reservation.because}.`];
    }
    return [];
  });
}

function checkPaths(folder: string): string[] {
  const root = resolve(repository, folder);
  return globSync("src/**/*.{ts,tsx}", { cwd: root, exclude: (path) => path.includes("generated") }).flatMap(
    (file) => {
      const text = readFileSync(resolve(root, file), "utf8");
      const paths = [...text.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map(([, path = ""]) => path);
      return paths
        .filter((path) => relative(root, resolve(root, dirname(file), path)).startsWith(".."))
        .map(
          (path) => `${folder}/${file} imports ${path}, which lies outside of its package: import by name.`,
        );
    },
  );
}
