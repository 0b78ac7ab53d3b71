import { fileURLToPath } from "node:url";
import type { HostCommand, HostProgram } from "./isolation.ts";
import { findProgramFiles } from "./program-files.ts";

const launcher = fileURLToPath(new URL("./launcher.ts", import.meta.url));

/** What the launcher is told by its parent, as JSON in its first argument. */
export interface LaunchPlan extends HostProgram {
  method: "user" | "namespace" | "landlock";
  programFiles: readonly string[];
  /** The user that the host becomes, for the method "user". */
  userId?: number;
}

/** The command that runs the launcher, through the programs in `before`. */
export function launch(plan: Omit<LaunchPlan, "programFiles">, before: readonly string[] = []): HostCommand {
  const whole: LaunchPlan = { ...plan, programFiles: findProgramFiles() };
  const [program = "", ...args] = [...before, process.execPath, launcher, JSON.stringify(whole)];
  return { program, args };
}

/** Creates namespaces, and ends when its parent ends. */
export const inNamespaces = (...more: string[]): string[] => [
  ...["setpriv", "--pdeathsig", "KILL", "unshare", ...more],
  ...["--mount", "--net", "--ipc", "--uts", "--pid", "--fork", "--kill-child=KILL"],
];
