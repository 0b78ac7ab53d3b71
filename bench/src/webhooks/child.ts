import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A process of its own that has said that it is ready. */
export interface Child {
  /** Calls until what it returns is called. */
  onMessage(hear: (message: unknown) => void): () => void;
  /** Sends a message and resolves to the next one that comes back; rejects when the process ends instead. */
  ask(message: object): Promise<unknown>;
  tell(message: object): void;
  ended: Promise<void>;
  kill(): Promise<void>;
  /** In order: it finishes what it is at. */
  stop(): Promise<void>;
}

const stopWithinMs = 20_000;

export const apiEntry = new URL("../../../apps/api/src/main.ts", import.meta.url);
export const workerEntry = new URL("../../../apps/worker/src/main.ts", import.meta.url);

export async function startChild(entry: URL, environment: Record<string, string> = {}): Promise<Child> {
  const child = spawn(process.execPath, [fileURLToPath(entry)], {
    env: environment,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // A process group of its own: Ctrl-C reaches us alone, and we stop everything in order.
    detached: true,
  });
  const ended = once(child, "exit").then(() => {});
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  const endedEarly = (before: string) => new Error(`${fileURLToPath(entry)} ended before ${before}.`);
  const ready = await Promise.race([once(child, "message").then(() => true), ended.then(() => false)]);
  if (!ready) throw endedEarly("it was ready");
  return {
    onMessage(hear) {
      child.on("message", hear);
      return () => void child.off("message", hear);
    },
    async ask(message) {
      const listening = new AbortController();
      const answered = once(child, "message", listening).then(([answer]) => answer);
      // A process that has ended takes no message: that it has ended is what the asker hears.
      child.send(message, () => {});
      try {
        return await Promise.race([answered, ended.then(() => Promise.reject(endedEarly("it answered")))]);
      } finally {
        answered.catch(() => {});
        listening.abort();
      }
    },
    tell: (message) => void child.send(message, () => {}),
    ended,
    kill: () => end("SIGKILL"),
    async stop() {
      const patience = new AbortController();
      delay(stopWithinMs, undefined, patience).then(
        () => child.kill("SIGKILL"),
        () => {},
      );
      await end("SIGTERM");
      patience.abort();
    },
  };
}
