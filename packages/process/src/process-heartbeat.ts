import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { hostname } from "node:os";

/** What a process says about itself to the page Operations. */
export interface ProcessIdentity {
  id: string;
  version: string;
  /** The name of the machine. */
  host: string;
  startedAt: Date;
}

/** The version of Querybell. */
export const { version }: { version: string } = createRequire(import.meta.url)("../package.json");

interface HeartbeatOptions {
  /** Writes that the process runs. */
  write(identity: ProcessIdentity): Promise<void>;
  /** Writes that it has stopped. */
  remove(identity: ProcessIdentity): Promise<void>;
  /** Called for the first of several failures in a row. A database that does not answer must not fill the log. */
  onError(error: unknown): void;
  everyMs?: number;
}

/** Writes the heartbeat of this process until it is stopped. A heartbeat that fails is written again at the next time. */
export function startProcessHeartbeat({ write, remove, onError, everyMs = 10_000 }: HeartbeatOptions) {
  const identity = { id: randomUUID(), version, host: hostname(), startedAt: new Date() };
  let hasFailed = false;
  const beat = async () => {
    try {
      await write(identity);
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onError(error);
      hasFailed = true;
    }
  };
  let beating = beat();
  const timer = setInterval(() => {
    beating = beating.then(beat);
  }, everyMs).unref();
  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await beating;
      // Without it, the page shows for a day that the process is silent.
      await remove(identity).catch(() => undefined);
    },
  };
}
