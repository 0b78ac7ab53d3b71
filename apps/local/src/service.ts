import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { environmentWith, repository } from "./env.ts";
import { StartError } from "./start-error.ts";

export interface Service {
  name: string;
  logFile: string;
  /** Resolves when the process has ended, for any reason; to the signal, if it was killed by one. */
  ended: Promise<NodeJS.Signals | null>;
  stop(): Promise<void>;
}

interface ServiceOptions {
  logFolder: string;
  settings: Record<string, string>;
}

interface Program extends ServiceOptions {
  name: string;
  args: string[];
  /** The destination of its standard output. Default: the log. */
  output?: "pipe";
  /** Resolves when it is ready; false if it ended before that. */
  isReady(child: ChildProcess): Promise<boolean>;
}

const stopWithinMs = 20_000;

/** Starts one of our apps as a child process and waits until it reports that it is ready. */
export const startService = (name: string, options: ServiceOptions): Promise<Service> =>
  startProgram({
    ...options,
    name,
    args: [join(repository, "apps", name, "src/main.ts")],
    isReady: (child) => once(child, "message").then(() => true),
  });

/**
 * Starts the example receiver and waits until it listens. It is written like a customer's program, so a preloaded
 * module makes it exit with this process.
 */
export async function startReceiver(
  options: ServiceOptions,
): Promise<Service & { lines: AsyncIterable<string> }> {
  const output = new PassThrough();
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  const service = await startProgram({
    ...options,
    name: "receiver",
    args: [
      "--import",
      join(import.meta.dirname, "exit-with-parent.ts"),
      join(repository, "examples/receiver/receiver.js"),
    ],
    output: "pipe",
    async isReady(child) {
      child.stdout?.pipe(output);
      const { done } = await lines.next();
      return !done;
    },
  });
  return { ...service, lines };
}

async function startProgram({ name, args, output, isReady, ...options }: Program): Promise<Service> {
  const logFile = join(options.logFolder, `${name}.log`);
  await using log = await open(logFile, "w", 0o600);
  // An older log file may have been readable by others.
  await log.chmod(0o600);
  const child = spawn(process.execPath, args, {
    env: environmentWith(options.settings),
    stdio: ["ignore", output ?? log.fd, log.fd, "ipc"],
    // A separate process group: Ctrl-C reaches only this process, which stops the services in order.
    detached: true,
  });
  const ended = once(child, "exit").then(() => child.signalCode);
  if (!(await Promise.race([isReady(child), ended.then(() => false)]))) {
    await ended;
    throw new StartError(`The ${name} did not start: ${await lastLine(logFile)} (the whole log: ${logFile})`);
  }
  return { name, logFile, ended, stop: () => stop(child, ended) };
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill("SIGTERM");
  const killTimer = setTimeout(() => child.kill("SIGKILL"), stopWithinMs);
  await ended;
  clearTimeout(killTimer);
}

async function lastLine(file: string): Promise<string> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  return lines.at(-1) || "it ended without output";
}
