import { fileURLToPath } from "node:url";
import type { HostCommand } from "./isolation.ts";
import type { LaunchPlan } from "./launch-plan.ts";
import { findProgramFiles } from "./program-files.ts";

const launcher = fileURLToPath(new URL("./launcher.ts", import.meta.url));

/** The launcher with its plan, behind the programs that make what it needs. */
export function launch(plan: Omit<LaunchPlan, "programFiles">, before: readonly string[] = []): HostCommand {
  const whole: LaunchPlan = { ...plan, programFiles: findProgramFiles() };
  const [program = "", ...args] = [...before, process.execPath, launcher, JSON.stringify(whole)];
  return { program, args };
}

/** Makes namespaces and ends with us, whatever happens. */
export const inNamespaces = (...more: string[]): string[] => [
  ...["setpriv", "--pdeathsig", "KILL", "unshare", ...more],
  ...["--mount", "--net", "--ipc", "--uts", "--pid", "--fork", "--kill-child=KILL"],
];
