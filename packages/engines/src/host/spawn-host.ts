import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import type { HostProgram, Isolation } from "./isolation/isolation.ts";

// For the programs that stand before the host. The host itself gets an empty environment.
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Starts a program as an engine host, kept apart in this way. */
export function spawnHost(isolation: Isolation, hostProgram: HostProgram): ChildProcess {
  const { program, args, inputs = [] } = isolation.command(hostProgram);
  const child = spawn(program, args, {
    env: isolation.name === "none" ? {} : { PATH: systemPath },
    cwd: "/",
    // A process group of its own, which can be ended whole.
    detached: true,
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc", ...inputs.map(() => "pipe" as const)],
  });
  // What stood before the host can be killed while it still sets up the rest, which would then wait for ever.
  child.once("exit", () => killHost(child));
  const writable = child.stdio.slice(4) as Writable[];
  for (const [index, input] of inputs.entries()) {
    // A program that ended before it read this says why by its exit.
    writable[index]?.on("error", () => {});
    writable[index]?.end(input);
  }
  return child;
}

/** Ends the host and everything that stands before it. */
export function killHost({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // The last one may have ended by itself.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
