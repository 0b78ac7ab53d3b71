import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

export interface FolderLock {
  release(): Promise<void>;
}

/**
 * One launcher for each folder. The lock is a name in Linux's abstract socket namespace: the kernel gives
 * it to one process at a time and takes it back however that process ends, so it can never be stale.
 */
export async function lockFolder(place: string): Promise<FolderLock> {
  const server = createServer((visitor) => visitor.destroy());
  const name = createHash("sha256").update(place).digest("hex");
  try {
    server.listen({ path: `\0querybell-postgres-${name}`, exclusive: true });
    await once(server, "listening");
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `Another process is already running the database in ${place}: stop that one first, or wait until it has stopped.`,
      { cause },
    );
  }
  server.unref();
  return {
    async release() {
      server.close();
      await once(server, "close");
    },
  };
}
