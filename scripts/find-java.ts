import { execFile } from "node:child_process";
import { glob } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A Java of at least this version: in JAVA_HOME, in the path, or in Debian's folder of Java versions. */
export async function findJava(minimum: number): Promise<string | undefined> {
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
