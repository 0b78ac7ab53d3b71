import type { ChildProcess } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { writeOwnedFile } from "./account.ts";
import { dataFolder } from "./cluster.ts";
import { EmbeddedPostgresError, explainLog, isSystemError } from "./embedded-postgres-error.ts";
import { freePort, isFree } from "./ports.ts";
import { type ClusterIdentity, titleOf } from "./server-processes.ts";
import { hasEnded, type Running, runProgram, type ServerContext } from "./server-program.ts";
import type { Settings } from "./settings.ts";

export const serverLog = "postgres.log";

// Crash recovery can take a while. A server that is not ready after this time has failed.
const patience = 180_000;
const portFile = (serverFolder: string) => join(serverFolder, "port");
const pidFile = (serverFolder: string) => join(dataFolder(serverFolder), "postmaster.pid");

/**
 * Starts the server on its last port or, if another program uses it, on a new one. Only binding shows whether a port is
 * free, so Postgres tries it.
 */
export async function startServer(
  where: ServerContext,
  cluster: ClusterIdentity,
  settings: Settings,
): Promise<{ port: number; child: ChildProcess }> {
  const remembered = Number(await readFile(portFile(where.serverFolder), "utf8").catch(() => ""));
  let port = remembered || (await freePort());
  for (let attempt = 1; ; attempt++) {
    const all = { ...settings, cluster_name: cluster.name, port: String(port) };
    const args = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const running = await runProgram(where, {
      program: "postgres",
      args: ["-D", dataFolder(where.serverFolder), ...args],
      logName: serverLog,
    });
    if (await becomesReady(running, where.serverFolder)) {
      if (port !== remembered) await writeOwnedFile(portFile(where.serverFolder), `${port}\n`, where.account);
      return { port, child: running.child };
    }
    if (attempt === 5 || (await isFree(port))) throw explainLog("starting", await running.log());
    port = await freePort();
  }
}

/** Whether a server is running on the data, or has crashed. */
export async function hasPidFile(serverFolder: string): Promise<boolean> {
  return (await readPidFile(serverFolder)).length > 0;
}

/**
 * Removes the pid file of a killed server. Postgres would refuse to start if another process has that pid by now.
 */
export async function clearPidFile({ serverFolder, account }: ServerContext): Promise<void> {
  const [pid] = await readPidFile(serverFolder);
  if (titleOf(Number(pid), account.uid).includes(dataFolder(serverFolder))) {
    throw new EmbeddedPostgresError(
      `Process ${pid} is a Postgres server on ${dataFolder(serverFolder)} that was not started from here: stop it first.`,
    );
  }
  await rm(pidFile(serverFolder), { force: true });
}

/** True once connections are accepted, false when the server ended instead. */
async function becomesReady({ child, log }: Running, serverFolder: string): Promise<boolean> {
  const deadline = Date.now() + patience;
  while (!hasEnded(child)) {
    const [pid, , , , , , , status] = await readPidFile(serverFolder);
    if (Number(pid) === child.pid && status?.trim() === "ready") return true;
    if (Date.now() > deadline) throw explainLog("starting, which took too long", await log());
    await sleep(10);
  }
  return false;
}

/** The lines of `postmaster.pid`: process, data folder, start, port, sockets, address, memory, status. */
async function readPidFile(serverFolder: string): Promise<string[]> {
  try {
    return (await readFile(pidFile(serverFolder), "utf8")).split("\n");
  } catch (error) {
    if (isSystemError(error) && error.code === "ENOENT") return [];
    throw error;
  }
}
