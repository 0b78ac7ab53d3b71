import { type ChildProcess, execFile, fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { chmod, chown, mkdtemp, readFile, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type pg from "pg";
import { afterAll, onTestFinished } from "vitest";
import type { Account } from "../account.ts";
import { withConnection } from "../create-database.ts";
import { type EmbeddedPostgresOptions, startEmbeddedPostgres } from "../index.ts";
import { sendSignal } from "../server-processes.ts";
import type { LaunchAnswer, LaunchOrder } from "./launcher.ts";

export const isRoot = process.getuid?.() === 0;

/** The user that tests about ordinary users switch to. Not needed if the tests do not run as root. */
export const ordinary: Account = isRoot
  ? { uid: 65534, gid: 65534 }
  : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

/** A folder that is removed after the test. */
export async function temporaryFolder({ mode = 0o755, owner }: { mode?: number; owner?: Account } = {}) {
  const folder = await makeFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  await chmod(folder, mode);
  if (owner) await chown(folder, owner.uid, owner.gid);
  return folder;
}

let template: Promise<string> | undefined;

afterAll(async () => {
  if (template) await rm(await template, { recursive: true });
});

/** The folder of a stopped server: a copy of one that is created once for each test file. */
export async function usedFolder(): Promise<string> {
  template ??= makeTemplate();
  const folder = join(await temporaryFolder(), "postgres");
  await promisify(execFile)("cp", ["-a", join(await template, "postgres"), folder]);
  return folder;
}

async function makeTemplate(): Promise<string> {
  const parent = await makeFolder();
  await chmod(parent, 0o755);
  const postgres = await startEmbeddedPostgres({ folder: join(parent, "postgres") });
  await postgres.stop();
  return parent;
}

// A name that breaks code without proper quoting.
const makeFolder = async () => mkdtemp(join(await realpath(isRoot ? "/tmp" : tmpdir()), 'it\'s a "test" ü-'));

/** Starts a server here, and stops it after the test at the latest. */
export async function start(options: EmbeddedPostgresOptions) {
  const progress: string[] = [];
  const onProgress = (sentence: string) => progress.push(sentence);
  const postgres = await startEmbeddedPostgres({ onProgress, ...options });
  onTestFinished(postgres.stop);
  return { ...postgres, progress };
}

/** Starts a server in a child process, which can be killed. */
export async function launch(order: LaunchOrder) {
  const launcher = fork(new URL("./launcher.ts", import.meta.url), { cwd: "/", execArgv: [] });
  onTestFinished(() => kill(launcher));
  launcher.send(order);
  const [answer]: LaunchAnswer[] = await Promise.race([once(launcher, "message"), once(launcher, "exit")]);
  if (typeof answer !== "object") throw new Error("The launcher ended without an answer.");
  return { launcher, answer };
}

/** Like `launch`, for a start that is expected to succeed. */
export async function launchServer(order: LaunchOrder) {
  const { launcher, answer } = await launch(order);
  if (answer.kind === "refused") throw new Error(answer.message);
  const { url, serverFolder } = answer;
  const pids = await processesOf(url, serverFolder);
  onTestFinished(() => killAll(pids));
  const stop = async () => {
    launcher.send("stop");
    await once(launcher, "exit");
  };
  return { url, serverFolder, ...pids, kill: () => kill(launcher), stop };
}

async function kill(launcher: ChildProcess): Promise<void> {
  if (launcher.exitCode !== null || launcher.signalCode !== null) return;
  launcher.kill("SIGKILL");
  await once(launcher, "exit");
}

interface Pids {
  postmaster: number;
  children: number[];
}

/** The process ids of the server. */
export async function processesOf(url: string, serverFolder: string): Promise<Pids> {
  const rows = await sql<{ pid: number }>(
    url,
    "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
  );
  const [postmaster] = (await readFile(join(serverFolder, "data/postmaster.pid"), "utf8")).split("\n");
  return { postmaster: Number(postmaster), children: rows.map((row) => row.pid) };
}

export function killAll({ postmaster, children }: Pids): void {
  sendSignal("SIGKILL", [postmaster, ...children]);
}

/** A zombie process has no command line. */
export function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "";
  } catch {
    return false;
  }
}

export const sql = <Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> =>
  withConnection(url, async (client) => (await client.query<Row>(text)).rows);
