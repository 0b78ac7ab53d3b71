import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { WorkerSettings } from "../env.ts";

const entry = fileURLToPath(new URL("../main.ts", import.meta.url));

/** Starts a worker as a separate process. */
export async function startWorkerProcess(settings: WorkerSettings) {
  const environment = Object.entries(settings).map(([name, value]) => [name, String(value)]);
  const child = spawn(process.execPath, [entry], {
    env: Object.fromEntries(environment),
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  await Promise.race([once(child, "message"), exited.then(() => Promise.reject(new Error("did not start")))]);
  const kill = async (signal: NodeJS.Signals = "SIGKILL") => {
    child.kill(signal);
    await exited;
  };
  return { kill, engineHosts: () => engineHostsOf(child.pid ?? 0) };
}

/** The process ids of the engine hosts that a process has started. */
export function engineHostsOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const [, parentPid] = /^.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`)) ?? [];
      return Number(parentPid) === parent && read(`/proc/${pid}/cmdline`).includes("host-process.ts");
    });
}

function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
