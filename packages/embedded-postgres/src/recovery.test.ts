import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  isAlive,
  killAll,
  launchServer,
  processesOf,
  sql,
  start,
  temporaryFolder,
  usedFolder,
} from "./testing/embedded-test.ts";

const recovering = ["Recovering after an unclean stop"];

async function serverWithData() {
  const options = { folder: await usedFolder() };
  const server = await launchServer({ options });
  await sql(server.url, "CREATE TABLE kept AS SELECT 'yes' AS answer");
  return { ...server, options };
}

/** Starts an idle process with this name, as the user of the data. */
async function bystander(serverFolder: string, ...args: string[]): Promise<ChildProcess & { pid: number }> {
  const { uid, gid } = await stat(join(serverFolder, "data"));
  const child = spawn("/bin/sh", ["-c", "read forever", ...args], {
    uid,
    gid,
    stdio: ["pipe", "ignore", "ignore"],
  });
  onTestFinished(async () => {
    child.stdin?.end();
    await once(child, "exit");
  });
  await once(child, "spawn");
  return Object.assign(child, { pid: child.pid ?? 0 });
}

describe("after kill -9", () => {
  test("of everything, the next start has the data", async () => {
    const server = await serverWithData();
    await server.kill();
    killAll(server);

    const next = await start(server.options);
    expect(next.progress).toEqual(recovering);
    expect(await sql(next.url, "SELECT answer FROM kept")).toEqual([{ answer: "yes" }]);
  });

  test("of the launcher alone, the next start stops the orphaned server and has the data", async () => {
    const server = await serverWithData();
    await expect(start(server.options)).rejects.toThrow(
      /^Another process is already running the database in/,
    );
    await server.kill();
    expect(isAlive(server.postmaster)).toBe(true);

    const next = await start(server.options);
    expect(next.progress).toEqual(recovering);
    expect(isAlive(server.postmaster)).toBe(false);
    expect(await sql(next.url, "SELECT answer FROM kept")).toEqual([{ answer: "yes" }]);
  });

  test("of launcher and postmaster, the next start ends a busy orphaned backend and has the data", async () => {
    const server = await serverWithData();
    const client = new pg.Client({ connectionString: server.url });
    client.on("error", () => {});
    await client.connect();
    const [backend] = (await client.query("SELECT pg_backend_pid() AS pid")).rows;
    const busy = client.query("SELECT count(*) FROM generate_series(1, 1e15)").catch((error) => error);
    const isBusy = `SELECT FROM pg_stat_activity WHERE pid = ${backend.pid} AND state = 'active'`;
    await vi.waitUntil(async () => (await sql(server.url, isBusy)).length > 0, { timeout: 60_000 });
    await server.kill();
    process.kill(server.postmaster, "SIGKILL");
    expect(isAlive(backend.pid)).toBe(true);

    const next = await start(server.options);
    expect(next.progress).toEqual(recovering);
    expect(isAlive(backend.pid)).toBe(false);
    expect(await busy).toBeInstanceOf(Error);
    expect(await sql(next.url, "SELECT answer FROM kept")).toEqual([{ answer: "yes" }]);
  });

  test("of the postmaster alone, the launcher is told, and its stop leaves no process", async () => {
    const postgres = await start({ folder: await usedFolder() });
    const { postmaster, children } = await processesOf(postgres.url, postgres.serverFolder);
    process.kill(postmaster, "SIGKILL");
    await postgres.ended;
    await postgres.stop();
    expect([postmaster, ...children].filter(isAlive)).toEqual([]);
  });

  test("a process that was given the dead server's number does not keep the next one from starting", async () => {
    const server = await serverWithData();
    await server.kill();
    killAll(server);
    const stranger = await bystander(server.serverFolder);
    await writeFile(
      join(server.serverFolder, "data/postmaster.pid"),
      `${stranger.pid}\n${server.serverFolder}/data\n`,
    );

    const next = await start(server.options);
    expect(await sql(next.url, "SELECT answer FROM kept")).toEqual([{ answer: "yes" }]);
    expect(isAlive(stranger.pid)).toBe(true);
  });

  test("a server that somebody else runs on the data is left alone", async () => {
    const server = await serverWithData();
    await server.kill();
    killAll(server);
    const other = await bystander(server.serverFolder, "postgres", "-D", join(server.serverFolder, "data"));
    await writeFile(
      join(server.serverFolder, "data/postmaster.pid"),
      `${other.pid}\n${server.serverFolder}/data\n`,
    );

    await expect(start(server.options)).rejects.toThrow(
      `Process ${other.pid} is a Postgres server on ${server.serverFolder}/data that was not started from here: stop it first.`,
    );
    expect(isAlive(other.pid)).toBe(true);
  });

  test("in the middle of preparing a new folder, the next start prepares it again", async () => {
    const folder = join(await temporaryFolder(), "postgres");
    const half = join(folder, "preparing-half");
    await mkdir(half, { recursive: true });
    await writeFile(join(half, "PG_VERSION"), "18\n");

    const postgres = await start({ folder });
    expect(await sql(postgres.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    expect(await readdir(postgres.serverFolder)).not.toContain("preparing-half");
  });
});
