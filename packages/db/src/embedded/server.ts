import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { dataFolder } from "./cluster.ts";
import { EmbeddedPostgresError, explainLog } from "./embedded-postgres-error.ts";
import { writeOwnedFile } from "./owned-file.ts";
import { type ClusterIdentity, titleOf } from "./server-processes.ts";
import { type Running, runProgram, type Surroundings } from "./server-program.ts";
import type { Settings } from "./settings.ts";

// Replaying what a crash left can take a while; a server that says nothing for longer is broken.
const patience = 180_000;
const portFile = (place: string) => join(place, "port");
const pidFile = (place: string) => join(dataFolder(place), "postmaster.pid");

/**
 * Starts the server and answers its port: the one it had last, unless somebody else has it by now.
 * Only binding a port tells whether it is free, so that is left to Postgres, and another port is tried
 * when the first one turns out to be taken.
 */
export async function startServer(
  where: Surroundings,
  cluster: ClusterIdentity,
  settings: Settings,
): Promise<number> {
  const remembered = Number(await readFile(portFile(where.place), "utf8").catch(() => ""));
  let port = Number.isInteger(remembered) && remembered > 0 ? remembered : await freePort();
  for (let attempt = 1; ; attempt++) {
    const all = { ...settings, cluster_name: cluster.name, port: String(port) };
    const args = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const running = await runProgram(where, {
      program: "postgres",
      args: ["-D", dataFolder(where.place), ...args],
      logName: "postgres.log",
    });
    if (await becomesReady(running, where.place)) break;
    if (attempt === 5 || (await isFree(port))) throw explainLog("starting", await running.log());
    port = await freePort();
  }
  if (port !== remembered) await writeOwnedFile(portFile(where.place), `${port}\n`, where.account);
  return port;
}

/**
 * Removes what a server that did not stop properly left behind, and answers whether it did. Postgres
 * itself would refuse to start when the number in that file has meanwhile been given to another process.
 */
export async function clearPidFile({ place, account }: Surroundings): Promise<boolean> {
  const [pid] = await readPidFile(place);
  if (pid === undefined) return false;
  if (titleOf(Number(pid), account.uid).includes(dataFolder(place))) {
    throw new EmbeddedPostgresError(
      `Process ${pid} is a Postgres server on ${dataFolder(place)} that was not started from here: stop it first.`,
    );
  }
  await rm(pidFile(place));
  return true;
}

/** True once connections are accepted, false when the server ended instead. */
async function becomesReady({ child, log }: Running, place: string): Promise<boolean> {
  const deadline = Date.now() + patience;
  while (child.exitCode === null && child.signalCode === null) {
    const [pid, , , , , , , status] = await readPidFile(place);
    if (Number(pid) === child.pid && status?.trim() === "ready") return true;
    if (Date.now() > deadline) {
      child.kill("SIGKILL");
      throw explainLog(`starting (it was not ready after ${patience / 1000} seconds)`, await log());
    }
    await sleep(10);
  }
  return false;
}

/** The lines of `postmaster.pid`: process, data folder, start, port, sockets, address, memory, status. */
async function readPidFile(place: string): Promise<string[]> {
  try {
    return (await readFile(pidFile(place), "utf8")).split("\n");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen({ host: "127.0.0.1", port: 0, exclusive: true });
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("A listening socket has no port.");
  return address.port;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen({ host: "127.0.0.1", port, exclusive: true });
  try {
    await once(server, "listening");
  } catch {
    return false;
  }
  server.close();
  await once(server, "close");
  return true;
}
