import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { glob, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";

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
      ...ownPackages(),
      ...["@duckdb/node-api", "pg", "zod"].map((name) => moduleFolder(enginesRequire.resolve(name))),
      ...["@resvg/resvg-js", "@expo-google-fonts/inter", "dejavu-fonts-ttf/package.json"].map((name) =>
        moduleFolder(ownRequire.resolve(name)),
      ),
    ]),
  ];
  return found;
}

/** The packages of the workspace that a host loads. */
const ownPackages = (): string[] => [
  ownFolder,
  ...["charts", "conditions", "domain", "engines", "statements", "summaries"].map((name) =>
    moduleFolder(ownRequire.resolve(`@querybell/${name}`)),
  ),
];

/** The libraries that this process has loaded, which runs the same Node. */
function sharedLibraries(): string[] {
  // Otherwise the report resolves the name of every peer.
  const report = Object.assign(process.report, { excludeNetwork: true });
  const { sharedObjects } = report.getReport() as { sharedObjects: string[] };
  const loaded = sharedObjects.filter((path) => path.startsWith("/") && /\.so(\.|$)/.test(path));
  // What draws pictures needs a part of the C library that Node does not load.
  const further = loaded
    .filter((path) => /\/libc\.so/.test(path))
    .map((path) => join(dirname(path), "librt.so.1"));
  return [...loaded, ...further.filter((path) => existsSync(path))];
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

let finding: Promise<void> | undefined;
let filling: Promise<void> | undefined;
let filled: string | undefined;

/** Finds the compile cache, if another process has filled it. The hosts of this process start with it from then on. */
export function findCompileCache(): Promise<void> {
  finding ??= findFilled()
    .then((folder) => {
      filled = folder;
    })
    .catch(() => {});
  return finding;
}

/**
 * Compiles the modules of hosts into Node's compile cache, unless this was done before: a host that finds them there
 * starts in less than half of the time and takes half of the memory. Where the folder cannot be written to, hosts start
 * without.
 */
export function fillCompileCache(): Promise<void> {
  filling ??= findCompileCache()
    .then(async () => {
      filled ??= await runFiller();
    })
    .catch(() => {});
  return filling;
}

async function runFiller(): Promise<string | undefined> {
  const env = { NODE_COMPILE_CACHE: cacheFolder };
  const { stdout } = await promisify(execFile)(process.execPath, [filler], { env });
  return stdout.trim() || undefined;
}

/** Node writes files that only their owner can read, and some hosts run as another user. */
export const readableMode = 0o644;

/** What a compile cache was filled from, and its folder. */
const Filled = z.object({ sources: z.string(), folder: z.string() });

/** The record of a filled cache is beside its folder, one for each user, because Node has a folder for each. */
const recordIn = (root: string): string => join(root, `filled-${process.getuid?.() ?? 0}.json`);

/** Called by the filler, before it has filled the cache. Several can be filling at once. */
export async function recordFilled(folder: string): Promise<void> {
  const record = recordIn(dirname(folder));
  const temporary = `${record}.${process.pid}`;
  const filledNow: z.infer<typeof Filled> = { sources: await describeSources(), folder };
  await writeFile(temporary, JSON.stringify(filledNow));
  await rename(temporary, record);
}

/** The folder of a cache that was filled from the same sources. */
async function findFilled(): Promise<string | undefined> {
  const text = await readFile(recordIn(cacheFolder), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { sources, folder } = Filled.parse(JSON.parse(text));
  const isCurrent = sources === (await describeSources()) && (await canBeReadByAll(folder));
  return isCurrent ? folder : undefined;
}

/** A process that fills the cache can end before it has made all files readable. */
async function canBeReadByAll(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  const stats = await Promise.all(names.map((name) => stat(join(folder, name))));
  return stats.length > 0 && stats.every(({ mode }) => (mode & readableMode) === readableMode);
}

/** A hash of Node's version and of when our files changed. Packages of others have their version in their path. */
async function describeSources(): Promise<string> {
  const hash = createHash("sha256").update(process.version);
  for (const cwd of ownPackages()) {
    const files: string[] = [];
    for await (const file of glob("src/**/*.ts", { cwd })) files.push(file);
    files.sort();
    const stats = await Promise.all(files.map((file) => stat(join(cwd, file))));
    for (const [at, { size, mtimeMs }] of stats.entries()) hash.update(`\n${files[at]} ${size} ${mtimeMs}`);
  }
  return hash.digest("hex");
}

/** The folder of the compile cache that was filled, if it was. Its name ends in the user id of this process. */
export const filledCompileCache = (): string | undefined => filled;
