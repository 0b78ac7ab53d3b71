import { execFile } from "node:child_process";
import { chmod, chown, cp, mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { type EmbeddedPostgres, startEmbeddedPostgres, withConnection } from "@querybell/embedded-postgres";

const run = promisify(execFile);

/** What a primary with standbys needs beyond its own settings. */
export const replicationSettings = { wal_level: "replica", max_wal_senders: "5", hot_standby: "on" };

const name = "standby";

export interface Standby extends EmbeddedPostgres {
  madeBy: string;
  /** Makes it the primary, with pg_promote. */
  promote(): Promise<void>;
  dispose(): Promise<void>;
}

interface StandbyOptions {
  /** Whether the primary confirms a commit only when the standby has it on disk. */
  isSynchronous: boolean;
  /** The port at which it follows the primary. */
  sourcePort: number;
  /** Further settings of Postgres. */
  settings?: Record<string, string>;
}

/** Copies a primary that is in use, and follows it by streaming replication. */
export async function startStandby(
  { superuserUrl, serverFolder }: EmbeddedPostgres,
  { isSynchronous, sourcePort, settings = {} }: StandbyOptions,
): Promise<Standby> {
  const { uid, gid } = await stat(join(serverFolder, "data"));
  const folder = await mkdtemp(join(await realpath(tmpdir()), "querybell-standby-"));
  await chmod(folder, 0o755);
  await chown(folder, uid, gid);
  for (const file of ["password", "superuser-password"]) {
    await cp(join(serverFolder, file), join(folder, file));
    await chown(join(folder, file), uid, gid);
  }
  const data = join(folder, "data");
  const { hostname, username, password } = new URL(superuserUrl);
  const source = `host=${hostname} port=${sourcePort} user=${username} password=${password} application_name=${name}`;
  // Keeps what the standby does not have yet.
  await execute(superuserUrl, `SELECT pg_create_physical_replication_slot('${name}', true)`);
  const tool = await findBaseBackup();
  if (tool) {
    await run(tool, ["--pgdata", data, "--dbname", source, "--checkpoint=fast", "--wal-method=stream"]);
  } else {
    await copyCluster(superuserUrl, join(serverFolder, "data"), data);
  }
  await writeFile(join(data, "standby.signal"), "");
  await run("chown", ["-R", `${uid}:${gid}`, data]);
  const postgres = await startEmbeddedPostgres({
    folder,
    settings: { ...replicationSettings, ...settings, primary_conninfo: source, primary_slot_name: name },
  });
  if (isSynchronous) await execute(superuserUrl, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
  await execute(superuserUrl, "SELECT pg_reload_conf()");
  await untilStreaming(superuserUrl, isSynchronous ? "sync" : "async");
  return {
    ...postgres,
    madeBy: tool ? "pg_basebackup" : "pg_backup_start and pg_backup_stop",
    async promote() {
      const [answer] = await execute(postgres.superuserUrl, "SELECT pg_promote() AS done");
      if (answer?.done !== true) throw new Error("The standby was not promoted.");
    },
    async dispose() {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Lets the primary confirm commits without its standby, and keep nothing for it. */
export async function forgoStandby(superuserUrl: string): Promise<void> {
  await execute(superuserUrl, "ALTER SYSTEM RESET synchronous_standby_names");
  await execute(superuserUrl, "SELECT pg_reload_conf()");
  await execute(superuserUrl, `SELECT pg_drop_replication_slot('${name}')`);
}

const execute = (url: string, statement: string): Promise<Record<string, unknown>[]> =>
  withConnection(url, async (client) => (await client.query(statement)).rows);

async function untilStreaming(superuserUrl: string, syncState: string): Promise<void> {
  const text = `SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '${syncState}'`;
  while ((await execute(superuserUrl, text)).length === 0) await delay(50);
}

/** pg_basebackup of Postgres 18: an older one refuses a newer server. The embedded Postgres has none. */
async function findBaseBackup(): Promise<string | undefined> {
  for (const path of ["pg_basebackup", "/usr/lib/postgresql/18/bin/pg_basebackup"]) {
    const { stdout } = await run(path, ["--version"]).catch(() => ({ stdout: "" }));
    if (/ 18(\.|\s|$)/.test(stdout)) return path;
  }
  return undefined;
}

/** What differs between clusters, or is made anew at the start of one. */
const left = ["postmaster.pid", "postmaster.opts", "pg_wal", "pg_replslot", "pg_stat_tmp", "pg_subtrans"];

/** What pg_basebackup does, with the functions that it uses: files are copied while the server writes them. */
async function copyCluster(superuserUrl: string, from: string, to: string): Promise<void> {
  await withConnection(superuserUrl, async (client) => {
    await client.query("SELECT pg_backup_start('standby', true)");
    await mkdir(to, { mode: 0o700 });
    for (const entry of await readdir(from)) {
      if (!left.includes(entry)) await copyWhileWritten(join(from, entry), join(to, entry));
    }
    for (const folder of left.filter((one) => !one.startsWith("postmaster"))) {
      await mkdir(join(to, folder), { mode: 0o700 });
    }
    await mkdir(join(to, "pg_wal/archive_status"), { mode: 0o700 });
    const { rows } = await client.query<{ labelfile: string }>("SELECT labelfile FROM pg_backup_stop(false)");
    await writeFile(join(to, "backup_label"), rows[0]?.labelfile ?? "", { mode: 0o600 });
  });
}

/** A file that the server deletes meanwhile is not missed: the log of changes deletes it, too. */
const copyWhileWritten = (from: string, to: string): Promise<void> =>
  run("cp", ["-a", from, to]).then(
    () => {},
    (error: unknown) => {
      if (!/No such file/.test(String(error))) throw error;
    },
  );
