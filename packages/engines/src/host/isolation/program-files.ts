import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";

const hostEntry = fileURLToPath(new URL("../host-process.ts", import.meta.url));
const enginesFolder = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
const heapMegabytes = 512;

/** The command of a host itself, without the programs that launch it. */
export const hostNode: readonly string[] = [
  process.execPath,
  `--max-old-space-size=${heapMegabytes}`,
  hostEntry,
];

let found: readonly string[] | undefined;

/** All files of the host's program: Node, its shared libraries, this package and what it imports. */
export function findProgramFiles(): readonly string[] {
  found ??= [
    ...new Set([
      process.execPath,
      ...sharedLibraries(),
      enginesFolder,
      ...moduleFolders(["@querybell/domain", "@duckdb/node-api", "pg", "zod"]),
    ]),
  ];
  return found;
}

/** The libraries that this process has loaded, which runs the same Node. */
function sharedLibraries(): string[] {
  // Otherwise the report resolves the name of every peer.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { sharedObjects } = report.getReport() as { sharedObjects: string[] };
  return sharedObjects.filter((path) => path.startsWith("/") && /\.so(\.|$)/.test(path));
}

/** Packages of the workspace are in folders of their own, all others are in one node_modules. */
function moduleFolders(names: string[]): string[] {
  const require = createRequire(import.meta.url);
  return names.map((name) => {
    const path = realpathSync(require.resolve(name));
    const at = path.indexOf(`${sep}node_modules${sep}`);
    return at === -1 ? packageFolder(path) : path.slice(0, at + `${sep}node_modules`.length);
  });
}

const packageFolder = (path: string): string => path.slice(0, path.indexOf(`${sep}src${sep}`));
