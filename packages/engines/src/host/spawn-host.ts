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
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc", ...inputs.map(() => "pipe" as const)],
  });
  const writable = child.stdio.slice(4) as Writable[];
  for (const [index, input] of inputs.entries()) {
    // A program that ended before it read this says why by its exit.
    writable[index]?.on("error", () => {});
    writable[index]?.end(input);
  }
  return child;
}
