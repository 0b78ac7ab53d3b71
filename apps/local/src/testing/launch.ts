import { type ChildProcess, spawn } from "node:child_process";
import { on, once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, sendSignal } from "@querybell/embedded-postgres";

const npmStart = join(import.meta.dirname, "../main.ts");

export interface Launched {
  url: string;
  key: string;
  dataFolder: string;
  /** Every process of this start, Postgres included, or those of one program. */
  processes(program?: string): number[];
  /** What it has written to standard output. */
  output(): string;
  /** What it has written to standard error. */
  errors(): string;
  /** Waits until the output matches. */
  shows(form: RegExp): Promise<void>;
  /** Ends it as Ctrl-C does. */
  interrupt(): Promise<number | null>;
  /** Ends every process with kill -9. */
  kill(): Promise<void>;
  process: ChildProcess;
}

interface LaunchOptions {
  dataFolder: string;
  /** The program. Default: that of `npm start`. */
  entry?: string;
  environment?: Record<string, string>;
}

/** Runs the launcher as `npm start` does, on free ports. */
export async function launch(options: LaunchOptions): Promise<Launched> {
  const { dataFolder } = options;
  const { child, output, errors, settings } = await spawnLauncher(options);
  const shows = async (form: RegExp) => {
    if (form.test(output())) return;
    for await (const _ of on(child.stdout, "data", { close: ["end"] })) if (form.test(output())) return;
    throw new Error(`The launcher ended without showing ${form}: ${output()}${errors()}`);
  };
  await shows(/Stop with Ctrl-C/);
  return {
    url: `http://localhost:${settings.PORT}`,
    key: output().match(/qb_\w{12}_[\w-]{43}/)?.[0] ?? "",
    dataFolder,
    process: child,
    shows,
    output,
    errors,
    processes: (program = "") => processesWith(dataFolder, program),
    async interrupt() {
      child.kill("SIGINT");
      const [code] = await once(child, "exit");
      return code;
    },
    async kill() {
      const ended = once(child, "exit");
      sendSignal("SIGKILL", processesWith(dataFolder));
      await ended;
    },
  };
}

/** Runs the launcher where it must fail, and returns its error output. */
export async function launchExpectingFailure(
  options: LaunchOptions,
): Promise<{ code: number | null; errors: string }> {
  const { child, errors } = await spawnLauncher(options);
  const [code] = await once(child, "close");
  return { code, errors: errors() };
}

async function spawnLauncher({ dataFolder, entry = npmStart, environment = {} }: LaunchOptions) {
  const settings = {
    PORT: String(await freePort()),
    WORKER_PORT: String(await freePort()),
    RECEIVER_PORT: String(await freePort()),
    API_PORT: String(await freePort()),
  };
  const child = spawn(process.execPath, [entry], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      DATA_FOLDER: dataFolder,
      ...settings,
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  const errors: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (text: string) => output.push(text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  return { child, settings, output: () => output.join(""), errors: () => errors.join("").trim() };
}

/**
 * The processes whose environment or command line names the folder: the services, and Postgres. With a program: only
 * those whose command line names it too.
 */
export function processesWith(folder: string, program = ""): number[] {
  const read = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, "utf8");
    } catch {
      return "";
    }
  };
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((pid) => read(pid, "cmdline").includes(program))
    .filter((pid) => read(pid, "environ").includes(folder) || read(pid, "cmdline").includes(folder))
    .map(Number);
}
