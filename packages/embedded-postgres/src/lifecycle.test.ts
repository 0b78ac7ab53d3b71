import { once } from "node:events";
import { readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EmbeddedPostgresError, startEmbeddedPostgres } from "./index.ts";
import { isAlive, processesOf, sql, start, temporaryFolder, usedFolder } from "./testing/embedded-test.ts";

const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe("an embedded server", () => {
  test("keeps its data, password and port from one start to the next", async () => {
    const folder = join(await temporaryFolder(), ".data/postgres");
    const first = await start({ folder });
    expect(first.progress).toEqual(["Preparing a new database folder", "Starting Postgres"]);
    await sql(first.url, "CREATE TABLE kept AS SELECT 'yes' AS answer");
    await first.stop();

    const second = await start({ folder });
    expect(second.progress).toEqual(["Starting Postgres"]);
    expect(second.url).toBe(first.url);
    expect(await sql(second.url, "SELECT answer FROM kept")).toEqual([{ answer: "yes" }]);
  });

  test("is durable, checked, in UTF-8, and open only to loopback and the password", async () => {
    const postgres = await start({ folder: join(await temporaryFolder(), "postgres") });
    const names = ["data_checksums", "fsync", "full_page_writes", "listen_addresses", "server_encoding"];
    const shown = ["synchronous_commit", "unix_socket_directories"];
    const rows = await sql<{ name: string; setting: string }>(
      postgres.superuserUrl,
      `SELECT name, setting FROM pg_settings WHERE name IN ('${[...names, ...shown].join("', '")}')`,
    );
    expect(Object.fromEntries(rows.map((row) => [row.name, row.setting]))).toEqual({
      data_checksums: "on",
      fsync: "on",
      full_page_writes: "on",
      listen_addresses: "127.0.0.1",
      server_encoding: "UTF8",
      synchronous_commit: "on",
      unix_socket_directories: "",
    });
    expect(await sql(postgres.url, "SELECT upper('é ж') AS upper, 'Z' < 'a' AS ordered")).toEqual([
      { upper: "É Ж", ordered: true },
    ]);

    const wrong = new URL(postgres.url);
    wrong.password = "guess";
    await expect(sql(wrong.href, "SELECT 1")).rejects.toThrow("password authentication failed");
    expect(await mode(join(postgres.serverFolder, "data"))).toBe("700");
    expect(await mode(join(postgres.serverFolder, "password"))).toBe("600");
    expect(await mode(join(postgres.serverFolder, "superuser-password"))).toBe("600");
    expect(await mode(join(postgres.serverFolder, "postgres.log"))).toBe("600");
  });

  test("gives a role that owns its database and may do nothing else", async () => {
    const postgres = await start({ folder: await usedFolder() });
    const [role] = await sql<Record<string, boolean>>(
      postgres.url,
      `SELECT to_jsonb(r) - '{oid,rolname,rolpassword,rolconfig,rolvaliduntil,rolconnlimit}'::text[] AS may
       FROM pg_roles r WHERE rolname = current_user`,
    );
    expect(role?.may).toEqual({
      rolsuper: false,
      rolinherit: true,
      rolcreaterole: false,
      rolcreatedb: false,
      rolcanlogin: true,
      rolreplication: false,
      rolbypassrls: false,
    });
    expect(
      await sql(postgres.url, "SELECT FROM pg_auth_members WHERE member = current_user::regrole"),
    ).toEqual([]);
    const ownerOf =
      "SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = current_database()";
    expect(await sql(postgres.url, ownerOf)).toEqual([{ owner: "querybell" }]);
    expect(await sql(postgres.superuserUrl, "SHOW is_superuser")).toEqual([{ is_superuser: "on" }]);
  });

  test("starts a folder of an earlier version, whose role is the superuser", async () => {
    const folder = await usedFolder();
    const first = await start({ folder });
    await sql(first.superuserUrl, "ALTER ROLE querybell SUPERUSER");
    await first.stop();
    await rm(join(first.serverFolder, "superuser-password"));

    const second = await start({ folder });
    expect(second.superuserUrl).toBe(second.url);
    expect(await sql(second.url, "SHOW is_superuser")).toEqual([{ is_superuser: "on" }]);
  });

  test("takes the caller's settings over its own", async () => {
    const folder = await usedFolder();
    const postgres = await start({ folder, profile: "fast", settings: { max_connections: "17" } });
    expect(await sql(postgres.url, "SHOW max_connections")).toEqual([{ max_connections: "17" }]);
    expect(await sql(postgres.url, "SHOW fsync")).toEqual([{ fsync: "off" }]);
  });

  test("runs in a separate session, out of a Ctrl-C's reach, and is gone when stopped", async () => {
    const postgres = await start({ folder: await usedFolder() });
    const { postmaster, children } = await processesOf(postgres.url, postgres.serverFolder);
    const [, fields = ""] = (await readFile(`/proc/${postmaster}/stat`, "utf8")).split(") ");
    const [, , group, session] = fields.split(" ");
    expect([group, session]).toEqual([String(postmaster), String(postmaster)]);
    const pids = [postmaster, ...children];
    expect(children.length).toBeGreaterThan(2);
    expect(pids.filter(isAlive)).toEqual(pids);

    await Promise.all([postgres.stop(), postgres.stop()]);
    await postgres.ended;
    expect(pids.filter(isAlive)).toEqual([]);
    await postgres.stop();
  });

  test("takes another port when somebody else has its own by now", async () => {
    const folder = await usedFolder();
    const first = await start({ folder });
    await first.stop();
    await using squatter = createServer().listen(first.port, "127.0.0.1");
    await once(squatter, "listening");

    const second = await start({ folder });
    expect(second.port).not.toBe(first.port);
    expect(await sql(second.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  test("is started once at a time, whichever way leads to its folder", async () => {
    const parent = await temporaryFolder();
    const folder = join(parent, "postgres");
    const link = join(parent, "link");
    await symlink(folder, link);
    const both = await Promise.allSettled([
      startEmbeddedPostgres({ folder }),
      startEmbeddedPostgres({ folder }),
    ]);
    const [winner] = both.filter((one) => one.status === "fulfilled");
    const [loser] = both.filter((one) => one.status === "rejected");
    expect(loser?.reason).toBeInstanceOf(EmbeddedPostgresError);
    expect(loser?.reason.message).toMatch(/^Another process is already running the database in .*\.$/);
    await expect(startEmbeddedPostgres({ folder: link })).rejects.toThrow(
      /^Another process is already running/,
    );

    await winner?.value.stop();
    const next = await start({ folder: link });
    expect(await sql(next.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  test("starts a new log when the last one has grown, and keeps that", async () => {
    const folder = await usedFolder();
    const first = await start({ folder });
    await first.stop();
    const log = join(first.serverFolder, "postgres.log");
    const grown = "x".repeat(11 * 1024 * 1024);
    await writeFile(log, grown);

    await start({ folder });
    expect(await readFile(`${log}.1`, "utf8")).toHaveLength(grown.length);
    expect(await readFile(log, "utf8")).toMatch(/^2.* starting PostgreSQL 18/);
  });
});
