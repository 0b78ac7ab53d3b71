import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { EmbeddedPostgresError, isSystemError } from "./embedded-postgres-error.ts";

/**
 * One launcher for each folder. The lock is a name in Linux's abstract socket namespace: the kernel gives
 * it to one process at a time and takes it back however that process ends, so it is never stale.
 */
export async function lockFolder(folder: string): Promise<AsyncDisposable> {
  const server = createServer((visitor) => visitor.destroy());
  const name = createHash("sha256").update(folder).digest("hex");
  try {
    server.listen({ path: `\0querybell-postgres-${name}`, exclusive: true });
    await once(server, "listening");
  } catch (cause) {
    if (!isSystemError(cause) || cause.code !== "EADDRINUSE") throw cause;
    throw new EmbeddedPostgresError(
      `Another process is already running the database in ${folder}: stop that one, or wait until it has stopped.`,
      { cause },
    );
  }
  // The lock must not keep the process alive.
  server.unref();
  return server;
}
