import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { environmentWith, repository } from "./env.ts";
import { StartError } from "./start-error.ts";

export interface Service {
  name: string;
  /** Resolves when the process has ended, whether it was stopped or not. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

interface ServiceOptions {
  logFolder: string;
  settings: Record<string, string>;
}

const stopWithinMs = 20_000;

/** Starts one of our apps as a process of its own and waits until it says that it is ready. */
export async function startService(name: string, { logFolder, settings }: ServiceOptions): Promise<Service> {
  const logFile = join(logFolder, `${name}.log`);
  await using log = await open(logFile, "w");
  const child = spawn(process.execPath, [join(repository, "apps", name, "src/main.ts")], {
    env: environmentWith(settings),
    stdio: ["ignore", log.fd, log.fd, "ipc"],
    // A process group of its own: Ctrl-C reaches us alone, and we stop the services in order.
    detached: true,
  });
  const ended = once(child, "exit").then(() => {});
  const outcome = await Promise.race([once(child, "message").then(() => "ready"), ended.then(() => "ended")]);
  if (outcome === "ended") {
    throw new StartError(`The ${name} did not start: ${await lastLine(logFile)} (the whole log: ${logFile})`);
  }
  return { name, ended, stop: () => stop(child, ended) };
}

async function stop(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill("SIGTERM");
  const impatience = setTimeout(() => child.kill("SIGKILL"), stopWithinMs);
  await ended;
  clearTimeout(impatience);
}

async function lastLine(file: string): Promise<string> {
  const lines = (await readFile(file, "utf8")).trim().split("\n");
  return lines.at(-1) || "it ended without a word";
}
