import { DatabaseLimits } from "@querybell/domain";
import { EngineHost } from "../engine-host.ts";
import { type Isolation, type IsolationName, isolationNames } from "./isolation.ts";
import { bubblewrap, landlock, noIsolation, ownUser, userNamespace } from "./methods.ts";

export const isolationSettings = ["auto", ...isolationNames, "none"] as const;
type IsolationSetting = (typeof isolationSettings)[number];

const methods: Record<IsolationName, Isolation> = {
  bubblewrap: bubblewrap(),
  user: ownUser,
  namespace: userNamespace,
  landlock,
};

/** The isolation method that was configured does not work on this machine. */
export class IsolationError extends Error {
  override readonly name = "IsolationError";
}

const found = new Map<IsolationSetting, Promise<Isolation>>();

/**
 * The isolation method for hosts on this machine: the configured one, or the strongest that works, or none. Each
 * method is tried with a real host, once in each process.
 */
export function findIsolation(setting: IsolationSetting): Promise<Isolation> {
  const known = found.get(setting) ?? search(setting);
  found.set(setting, known);
  return known;
}

async function search(setting: IsolationSetting): Promise<Isolation> {
  if (setting === "none") return noIsolation;
  if (setting === "auto") {
    for (const name of isolationNames)
      if ((await tryIsolation(methods[name])) === undefined) return methods[name];
    return noIsolation;
  }
  const problem = await tryIsolation(methods[setting]);
  if (problem !== undefined) throw new IsolationError(problem);
  return methods[setting];
}

// Only to end a check that hangs: on a busy machine a host can take minutes to start, and a method that works must not
// be passed over for a weaker one.
const checkTimeoutMs = 600_000;

/** Starts a host that tries what isolation must prevent. Returns why the method cannot be used here, if so. */
export async function tryIsolation(isolation: Isolation): Promise<string | undefined> {
  if (process.platform !== "linux") return "It needs Linux.";
  const host = new EngineHost({ isolation, databaseFiles: [], graceMs: 1_000 });
  try {
    const { answer } = await host.sendTask({
      task: {
        kind: "check",
        id: 0,
        organizationId: "none",
        limits: DatabaseLimits.parse({ timeMs: checkTimeoutMs }),
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
