import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { hostPids } from "@querybell/engine-hosts/testing/host-processes";
import type { WorkerSettings } from "../env.ts";

const entry = fileURLToPath(new URL("../main.ts", import.meta.url));

/** Starts a worker as a separate process. */
export async function startWorkerProcess(settings: WorkerSettings) {
  const { NODE_COMPILE_CACHE } = process.env;
  const environment = Object.entries({ ...settings, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) }).map(
    ([name, value]) => [name, String(value)],
  );
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
  return { kill, engineHosts: () => hostPids(child.pid) };
}
