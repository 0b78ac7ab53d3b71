import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough, type Readable } from "node:stream";
import { environmentWith, repository } from "./env.ts";
import { StartError } from "./start-error.ts";

export interface Service {
  name: string;
  logFile: string;
  /** Resolves when the process has ended, for any reason; to the signal, if it was killed by one. */
  ended: Promise<NodeJS.Signals | null>;
  /** Asks it to stop, and kills it if it has not stopped in time. */
  stop(withinMs?: number): Promise<void>;
}

export interface ServiceOptions {
  logFolder: string;
  settings: Record<string, string>;
}

interface Program extends ServiceOptions {
  name: string;
  args: string[];
  /** The destination of its standard output. Default: the log. */
  output?: "pipe";
  /** Called for each line of its output, which goes to the log, too. */
  onLine?: (line: string) => void;
  /** Resolves when it is ready; false if it ended before that. */
  isReady(child: ChildProcess): Promise<boolean>;
}

export interface SpawnedProgram extends Service {
  child: ChildProcess;
  /** Resolves when it is ready, or to false when it ended before that. */
  ready: Promise<boolean>;
}

const stopWithinMs = 20_000;

export const entryOf = (app: string): string => join(repository, "apps", app, "src/main.ts");

/** Starts one of our apps as a child process and waits until it reports that it is ready. */
export const startService = (name: string, options: ServiceOptions): Promise<Service> =>
  startProgram({ ...options, name, args: [entryOf(name)], isReady: reportsReady });

/** Our apps send `ready`; see `runUntilStopped`. */
export const reportsReady = (child: ChildProcess): Promise<boolean> =>
  new Promise((resolve) => {
    child.on("message", (message) => {
      if (message === "ready") resolve(true);
    });
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

async function startProgram(program: Program): Promise<Service> {
  const { name, logFile, ended, ready, stop } = await spawnProgram(program);
  if (!(await ready)) {
    await ended;
    throw new StartError(`The ${name} did not start: ${await lastLine(logFile)} (the whole log: ${logFile})`);
  }
  return { name, logFile, ended, stop };
}

/** Starts a program without waiting until it is ready. */
export async function spawnProgram({
  name,
  args,
  output,
  onLine,
  isReady,
  ...options
}: Program): Promise<SpawnedProgram> {
  const logFile = join(options.logFolder, `${name}.log`);
  await using log = await open(logFile, "w", 0o600);
  // An older log file may have been readable by others.
  await log.chmod(0o600);
  const child = spawn(process.execPath, args, {
    env: environmentWith(options.settings),
    stdio: ["ignore", onLine ? "pipe" : (output ?? log.fd), onLine ? "pipe" : log.fd, "ipc"],
    // A separate process group: Ctrl-C reaches only this process, which stops the services in order.
    detached: true,
  });
  if (onLine) {
    for (const stream of [child.stdout, child.stderr]) {
      readLines(stream, (line) => {
        appendFileSync(logFile, `${line}\n`);
        onLine(line);
      });
    }
  }
  const ended = once(child, "exit").then(() => child.signalCode);
  const ready = Promise.race([isReady(child), ended.then(() => false)]);
  return {
    name,
    logFile,
    child,
    ended,
    ready,
    stop: (withinMs = stopWithinMs) => stop(child, ended, withinMs),
  };
}

function readLines(stream: Readable | null, onLine: (line: string) => void): void {
  if (stream) createInterface({ input: stream }).on("line", onLine);
}

async function stop(child: ChildProcess, ended: Promise<unknown>, withinMs: number): Promise<void> {
  child.kill("SIGTERM");
  const killTimer = setTimeout(() => child.kill("SIGKILL"), withinMs);
  await ended;
  clearTimeout(killTimer);
}

async function lastLine(file: string): Promise<string> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  return lines.at(-1) || "it ended without output";
}
