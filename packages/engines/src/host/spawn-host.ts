import { type ChildProcess, spawn } from "node:child_process";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import type { HostProgram, Isolation } from "./isolation/isolation.ts";

// For the programs that launch the host. The host itself gets only what Node needs.
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Starts a program as an engine host, with this isolation. */
export function spawnHost(isolation: Isolation, hostProgram: HostProgram): ChildProcess {
  const { program, args, inputs = [] } = isolation.command(hostProgram);
  const { compileCache } = hostProgram;
  const child = spawn(program, args, {
    env: {
      ...(isolation.name !== "none" && { PATH: systemPath }),
      ...(compileCache !== undefined && { NODE_COMPILE_CACHE: dirname(compileCache) }),
    },
    cwd: "/",
    // In a process group of its own, so that one signal ends all of it.
    detached: true,
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc", ...inputs.map(() => "pipe" as const)],
  });
  // If a launching program dies early, the rest of the group would wait forever.
  child.once("exit", () => killHost(child));
  const writable = child.stdio.slice(4) as Writable[];
  for (const [index, input] of inputs.entries()) {
    // A program that ends before it reads its input reports that by its exit.
    writable[index]?.on("error", () => {});
    writable[index]?.end(input);
  }
  return child;
}

/** Kills the host and the programs that launched it. */
export function killHost({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // The group may have ended already.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
