// Prints, as JSON, the Java program and the folder with which tests start Trino. The server is downloaded once from Maven
// Central and kept outside the clone. If that is not possible, prints `{"missing": "why"}`. With `--check` it only
// checks whether it is possible.
import { execFile } from "node:child_process";
import { access, glob, mkdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const version = "476";
const minimumJava = 24;
/** The plugins that the tests use. */
const plugins = ["memory", "password-authenticators", "tpch"];
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "querybell");
const server = join(cache, `trino-server-${version}`);

console.log(JSON.stringify(await find()));

async function find(): Promise<{ java: string; server: string } | { missing: string }> {
  const java = await findJava(minimumJava);
  if (!java) return { missing: `no Java ${minimumJava} or newer was found` };
  if (await exists(server)) return { java, server };
  if (!(await hasMaven())) return { missing: "Maven, which fetches the server, was not found" };
  if (!process.argv.includes("--check")) await fetchServer();
  return { java, server };
}

/** A Java of at least this version: in JAVA_HOME, in the path, or in Debian's folder of Java versions. */
async function findJava(minimum: number): Promise<string | undefined> {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const candidates = [
    ...(process.env.JAVA_HOME ? [join(process.env.JAVA_HOME, "bin/java")] : []),
    ...folders.map((folder) => join(folder, "java")),
  ];
  for await (const java of glob("/usr/lib/jvm/*/bin/java")) candidates.push(java);
  for (const java of candidates) if ((await versionOf(java)) >= minimum) return java;
  return undefined;
}

async function versionOf(java: string): Promise<number> {
  try {
    // Java prints its version to standard error: openjdk version "25.0.1" 2025-10-21 LTS
    const { stderr } = await run(java, ["-version"]);
    return Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

async function fetchServer(): Promise<void> {
  console.error(`No Trino ${version} is kept here yet. Downloading it for the tests (about 820 MB)…`);
  await mkdir(cache, { recursive: true });
  const folder = `${server}.${process.pid}`;
  const repository = join(folder, "repository");
  try {
    await mkdir(repository, { recursive: true });
    const artifact = `-Dartifact=io.trino:trino-server:${version}:tar.gz`;
    // A separate repository, so that the archive does not stay in the user's.
    const where = `-Dmaven.repo.local=${repository}`;
    await run("mvn", ["--batch-mode", "--quiet", "dependency:get", artifact, "-Dtransitive=false", where]);
    const archive = join(repository, `io/trino/trino-server/${version}/trino-server-${version}.tar.gz`);
    // The whole archive: plugins share files as hard links, and any plugin can contain the original.
    await run("tar", ["-xzf", archive, "-C", folder]);
    const unpacked = join(folder, `trino-server-${version}`);
    const kept = join(folder, "kept");
    await mkdir(join(kept, "plugin"), { recursive: true });
    for (const part of ["lib", ...plugins.map((name) => `plugin/${name}`)]) {
      await rename(join(unpacked, part), join(kept, part));
    }
    // Renamed atomically, so that no process sees an incomplete folder. Another process may have done it already.
    if (!(await exists(server))) await rename(kept, server);
  } catch (cause) {
    throw new Error(
      `Trino ${version} could not be fetched from Maven Central. Check the network and Maven's settings, or set TRINO_URL to a cluster of your own.`,
      { cause },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function hasMaven(): Promise<boolean> {
  return run("mvn", ["--version"]).then(
    () => true,
    () => false,
  );
}
