import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A process of its own that has said that it is ready. */
export interface Child {
  onMessage(hear: (message: unknown) => void): void;
  /** Sends a message and resolves to the next one that comes back. */
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
  const ready = await Promise.race([once(child, "message").then(() => true), ended.then(() => false)]);
  if (!ready) throw new Error(`${fileURLToPath(entry)} ended before it was ready.`);
  return {
    onMessage: (hear) => void child.on("message", hear),
    async ask(message) {
      const answered = once(child, "message");
      child.send(message);
      const [answer] = await answered;
      return answer;
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
