import { EngineHost } from "../engine-host.ts";
import { RunLimits } from "../messages.ts";
import { bubblewrap } from "./bubblewrap.ts";
import { type Isolation, type IsolationName, isolationNames } from "./isolation.ts";
import { landlock } from "./landlock.ts";
import { noIsolation } from "./no-isolation.ts";
import { ownUser } from "./own-user.ts";
import { userNamespace } from "./user-namespace.ts";

export const isolationSettings = ["auto", ...isolationNames, "none"] as const;
export type IsolationSetting = (typeof isolationSettings)[number];

const ways: Record<IsolationName, Isolation> = {
  bubblewrap: bubblewrap(),
  user: ownUser,
  namespace: userNamespace,
  landlock,
};

/** A way was asked for by name and does not work here; `reason` says what happened. */
export class IsolationError extends Error {
  override readonly name = "IsolationError";
}

const found = new Map<IsolationSetting, Promise<Isolation>>();

/**
 * The way to keep hosts apart on this machine: the strongest that works, none if none does, or the one that is
 * asked for. Whether a way works is tried with a real host, once for each process.
 */
export function findIsolation(setting: IsolationSetting): Promise<Isolation> {
  const known = found.get(setting) ?? search(setting);
  found.set(setting, known);
  return known;
}

async function search(setting: IsolationSetting): Promise<Isolation> {
  if (setting === "none") return noIsolation;
  if (setting === "auto") {
    for (const name of isolationNames) if ((await tryIsolation(ways[name])) === undefined) return ways[name];
    return noIsolation;
  }
  const problem = await tryIsolation(ways[setting]);
  if (problem !== undefined) throw new IsolationError(problem);
  return ways[setting];
}

/** Starts a host in this way and lets it try what must be impossible; says why the way cannot be used here. */
export async function tryIsolation(isolation: Isolation): Promise<string | undefined> {
  if (process.platform !== "linux") return "It needs Linux.";
  const host = new EngineHost({ isolation, databaseFiles: [], graceMs: 1_000 });
  try {
    const { answer } = await host.perform({
      task: {
        kind: "check",
        id: 0,
        organizationId: "none",
        limits: RunLimits.parse({ timeMs: 30_000 }),
        unreadableFiles: ["/etc/passwd", `/proc/${process.pid}/environ`],
        unreachablePid: process.pid,
      },
    });
    if (answer.kind === "checked") {
      return answer.possible.length === 0
        ? undefined
        : `In a host these were possible: ${answer.possible.join(", ")}.`;
    }
    await host.stop();
    const { errorText } = await host.exit;
    return `A host could not be started: ${errorText.trim().split("\n").at(-1) || JSON.stringify(answer)}`;
  } finally {
    await host.stop();
  }
}
