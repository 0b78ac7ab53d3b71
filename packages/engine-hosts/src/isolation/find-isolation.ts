import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseLimits } from "@querybell/domain";
import { EngineHost } from "../engine-host.ts";
import { findCompileCache } from "../host-program.ts";
import { type Isolation, type IsolationName, isolationNames } from "./isolation.ts";
import { bubblewrap, landlock, noIsolation } from "./methods.ts";

export const isolationSettings = ["auto", ...isolationNames, "none"] as const;
type IsolationSetting = (typeof isolationSettings)[number];

const methods: Record<IsolationName, Isolation> = {
  bubblewrap: bubblewrap(),
  landlock,
};

/** The isolation method that was configured does not work on this machine. */
export class IsolationError extends Error {
  override readonly name = "IsolationError";
}

interface IsolationOptions {
  setting: IsolationSetting;
  /** The folder of the files of embedded databases. Hosts must be able to read there. */
  dataFolder: string;
}

const found = new Map<string, Promise<Isolation>>();

/**
 * The isolation method for hosts on this machine: the configured one, or the strongest that works, or none. Each
 * method is tried with a real host, once in each process.
 */
export function findIsolation({ setting, dataFolder }: IsolationOptions): Promise<Isolation> {
  const key = `${setting} ${dataFolder}`;
  const known = found.get(key) ?? search({ setting, dataFolder });
  found.set(key, known);
  return known;
}

async function search({ setting, dataFolder }: IsolationOptions): Promise<Isolation> {
  if (setting === "none") return noIsolation;
  if (setting === "auto") {
    for (const name of isolationNames)
      if ((await tryIsolation(methods[name], dataFolder)) === undefined) return methods[name];
    return noIsolation;
  }
  const problem = await tryIsolation(methods[setting], dataFolder);
  if (problem !== undefined) throw new IsolationError(problem);
  return methods[setting];
}

// Only to end a check that hangs: on a busy machine a host can take minutes to start, and a method that works must not
// be passed over for a weaker one.
const checkTimeoutMs = 600_000;

/**
 * Starts a host that tries what isolation must prevent, and reads a file as it would read a database. Returns why the
 * method cannot be used here, if so.
 */
export async function tryIsolation(isolation: Isolation, dataFolder: string): Promise<string | undefined> {
  if (process.platform !== "linux") return "It needs Linux.";
  const databaseFiles = await writeCheckFile(dataFolder);
  await findCompileCache();
  const host = new EngineHost({ isolation, databaseFiles, graceMs: 1_000 });
  try {
    const { answer } = await host.sendTask({
      task: {
        kind: "check",
        organizationId: "none",
        limits: DatabaseLimits.parse({ timeMs: checkTimeoutMs }),
        readableFiles: databaseFiles,
        unreadableFiles: ["/etc/passwd", `/proc/${process.pid}/environ`],
        unreachablePid: process.pid,
      },
    });
    if (answer.kind === "checked") {
      if (answer.unreadable.length > 0) return `A host could not read a file in ${dataFolder}.`;
      return answer.possible.length === 0
        ? undefined
        : `In a host these were possible: ${answer.possible.join(", ")}.`;
    }
    await host.stop();
    const { errorText } = await host.exit;
    return `A host could not be started: ${errorText.trim().split("\n").at(-1) || JSON.stringify(answer)}`;
  } finally {
    await host.stop();
    await Promise.all(databaseFiles.map((file) => rm(file, { force: true })));
  }
}

/**
 * A file for the check: some file systems refuse the mounts that a method needs. None in a folder that is
 * read-only or does not exist yet.
 */
async function writeCheckFile(dataFolder: string): Promise<string[]> {
  const file = join(dataFolder, `isolation-check-${randomUUID()}`);
  try {
    await writeFile(file, "", { mode: 0o600 });
    return [file];
  } catch {
    return [];
  }
}
