import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const hostEntry = fileURLToPath(new URL("./host-process.ts", import.meta.url));
const ownFolder = fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
const ownRequire = createRequire(import.meta.url);
/** What the engines import. pnpm lets a package find only its own dependencies. */
const enginesRequire = createRequire(ownRequire.resolve("@querybell/engines"));
const heapMegabytes = 512;

/** The command of a host itself, without the programs that launch it. */
export const hostNode: readonly string[] = [
  process.execPath,
  `--max-old-space-size=${heapMegabytes}`,
  hostEntry,
];

let found: readonly string[] | undefined;

/** All files of the host's program: Node, its shared libraries, this package and what it and the engines import. */
export function findProgramFiles(): readonly string[] {
  found ??= [
    ...new Set([
      process.execPath,
      ...sharedLibraries(),
      ownFolder,
      ...["domain", "engines", "statements", "summaries"].map((name) =>
        moduleFolder(ownRequire.resolve(`@querybell/${name}`)),
      ),
      ...["@duckdb/node-api", "pg", "zod"].map((name) => moduleFolder(enginesRequire.resolve(name))),
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

/** Packages of the workspace are in separate folders, all others are in one node_modules. */
function moduleFolder(resolved: string): string {
  const path = realpathSync(resolved);
  const at = path.indexOf(`${sep}node_modules${sep}`);
  return at === -1 ? packageFolder(path) : path.slice(0, at + `${sep}node_modules`.length);
}

const packageFolder = (path: string): string => path.slice(0, path.indexOf(`${sep}src${sep}`));

const filler = fileURLToPath(new URL("./fill-compile-cache.ts", import.meta.url));
/** In the folder of this package, which every host can read and none can write to. */
const cacheFolder = fileURLToPath(new URL("../node_modules/.cache/hosts", import.meta.url));

let filling: Promise<void> | undefined;
let filled: string | undefined;

/**
 * Compiles the modules of hosts into Node's compile cache, once in each process: a host that finds them there starts in
 * less than half of the time and takes half of the memory. Where the folder cannot be written to, hosts start without.
 */
export function fillCompileCache(): Promise<void> {
  filling ??= promisify(execFile)(process.execPath, [filler], {
    env: { NODE_COMPILE_CACHE: cacheFolder },
  }).then(
    ({ stdout }) => {
      filled = stdout.trim() || undefined;
    },
    () => {},
  );
  return filling;
}

/** The folder of the compile cache that was filled, if it was. Its name ends in the user id of this process. */
export const filledCompileCache = (): string | undefined => filled;
