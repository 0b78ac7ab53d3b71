import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { readProcessStat } from "../measuring/process-stat.ts";

/** A child process that has reported that it is ready. */
export interface Child {
  pid: number;
  /** Returns a function that removes the listener. */
  onMessage(listener: (message: unknown) => void): () => void;
  /** Sends a message and resolves to the next one that comes back; rejects when the process ends instead. */
  ask(message: object): Promise<unknown>;
  send(message: object): void;
  ended: Promise<void>;
  /** Processor time so far, of all its threads. */
  cpuMs(): number;
  kill(): Promise<void>;
  /** Graceful: the process finishes its work in progress. */
  stop(): Promise<void>;
}

const stopWithinMs = 20_000;
export const apiEntry = new URL("../../../apps/api/src/main.ts", import.meta.url);
export const workerEntry = new URL("../../../apps/worker/src/main.ts", import.meta.url);

interface Output {
  /** Called with each line of the standard output. */
  onLine: (line: string) => void;
  /** Called with each line of the standard error. */
  onErrorLine: (line: string) => void;
}

/** Without `output`, the standard output is discarded and the standard error is shown. */
export async function startChild(
  entry: URL,
  environment: Record<string, string> = {},
  output?: Output,
): Promise<Child> {
  const child = spawn(process.execPath, [fileURLToPath(entry)], {
    env: environment,
    stdio: ["ignore", output ? "pipe" : "ignore", output ? "pipe" : "inherit", "ipc"],
    // A separate process group: Ctrl-C reaches only the parent, which stops everything in order.
    detached: true,
  });
  if (output && child.stdout && child.stderr) {
    createInterface(child.stdout).on("line", output.onLine);
    createInterface(child.stderr).on("line", output.onErrorLine);
  }
  const ended = once(child, "exit").then(() => {});
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended;
  };
  const endedEarly = (before: string) => new Error(`${fileURLToPath(entry)} ended before ${before}.`);
  const ready = await Promise.race([once(child, "message").then(() => true), ended.then(() => false)]);
  if (!ready) throw endedEarly("it was ready");
  return {
    pid: child.pid ?? 0,
    onMessage(listener) {
      child.on("message", listener);
      return () => void child.off("message", listener);
    },
    async ask(message) {
      const listening = new AbortController();
      const answered = once(child, "message", listening).then(([answer]) => answer);
      // Sending to an ended process fails; the race below reports that it has ended.
      child.send(message, () => {});
      try {
        return await Promise.race([answered, ended.then(() => Promise.reject(endedEarly("it answered")))]);
      } finally {
        answered.catch(() => {});
        listening.abort();
      }
    },
    send: (message) => void child.send(message, () => {}),
    ended,
    cpuMs: () => readProcessStat(child.pid ?? 0)?.cpuMs ?? Number.NaN,
    kill: () => end("SIGKILL"),
    async stop() {
      const timeout = new AbortController();
      delay(stopWithinMs, undefined, timeout).then(
        () => child.kill("SIGKILL"),
        () => {},
      );
      await end("SIGTERM");
      timeout.abort();
    },
  };
}
