import { once } from "node:events";
import { relative } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { z } from "zod";
import { repository } from "../env.ts";
import { reportsReady, type ServiceOptions, type SpawnedProgram, spawnProgram } from "../service.ts";
import type { FileWatch } from "./file-watch.ts";

const reporter = fileURLToPath(new URL("./report-loaded-files.ts", import.meta.url));
const LoadedFile = z.object({ loaded: z.string() });

/** An editor may write a file in several steps, and several files one after the other. */
const settleMs = 50;
/** Every process can be killed at any time, so a restart does not wait long for the work in flight. */
const stopWithinMs = 2_000;
const maxReasonLines = 40;

export type AppState = { kind: "starting" } | { kind: "running" } | { kind: "down"; reason: string };

interface WatchedAppOptions extends ServiceOptions {
  name: AppName;
  /** The arguments of Node. */
  args: string[];
  watch: FileWatch;
  onState?(state: AppState): void;
}

interface WatchedApp {
  /** Resolves when it runs for the first time, or its first start has failed. */
  started: Promise<void>;
  /** Sends a message to the process, if it runs. */
  send(message: object): void;
  stop(): Promise<void>;
}

/** Runs an app, and starts it again when a file that it has loaded changes, also after it has ended. */
export function runWatchedApp({
  name,
  args,
  watch,
  onState = () => {},
  ...options
}: WatchedAppOptions): WatchedApp {
  const stopping = new AbortController();
  const stopped = once(stopping.signal, "abort").then((): "stopped" => "stopped");
  const started = Promise.withResolvers<void>();
  let program: SpawnedProgram | undefined;
  let changedAt: number | undefined;

  const setState = (state: AppState) => {
    if (state.kind === "running") watch.setRunning();
    if (state.kind === "down") watch.setDown();
    if (state.kind !== "starting") started.resolve();
    onState(state);
  };

  /** Runs the process once, until a file changes, or everything is stopped. */
  async function runOnce(): Promise<void> {
    const changed = watch.nextChange();
    const shown: string[] = [];
    program = await spawnProgram({
      ...options,
      name,
      args: ["--import", reporter, ...args],
      isReady: reportsReady,
      onLine(line) {
        const text = toShownText(line);
        if (text === undefined) return;
        shown.push(text);
        printFrom(name, text);
      },
    });
    const { child, ready, ended, stop } = program;
    child.on("message", (message) => {
      const { data } = LoadedFile.safeParse(message);
      if (data) watch.addLoaded(data.loaded);
    });
    let isOver = false;
    void ready.then((isReady) => {
      if (!isReady || isOver) return;
      setState({ kind: "running" });
      if (changedAt !== undefined) printFrom(name, `runs again after ${secondsSince(changedAt)} s`);
    });
    // Its output is complete only when it has closed.
    const closed = once(child, "close");
    const end = await Promise.race([changed, stopped, ended.then(() => closed)]);
    if (Array.isArray(end) && !stopping.signal.aborted) {
      const [code, signal] = end;
      printFrom(name, `has ended (${signal ?? `exit code ${code}`}). It starts again when a file changes.`);
      setState({ kind: "down", reason: shown.slice(-maxReasonLines).join("\n") });
    }
    const file = await Promise.race([changed, stopped]);
    isOver = true;
    if (stopping.signal.aborted) return stop();
    changedAt = performance.now();
    setState({ kind: "starting" });
    printFrom(name, `restarts: ${relative(repository, file)} has changed`);
    await delay(settleMs);
    await stop(stopWithinMs);
  }

  async function runUntilStopped(): Promise<void> {
    while (!stopping.signal.aborted) await runOnce();
    watch[Symbol.dispose]();
  }

  const over = runUntilStopped();
  return {
    started: started.promise,
    send(message) {
      // A process that ends meanwhile misses it.
      if (program?.child.connected) program.child.send(message, () => {});
    },
    async stop() {
      stopping.abort();
      await over;
    },
  };
}

const secondsSince = (time: number): string => ((performance.now() - time) / 1000).toFixed(1);

const colors = { web: "cyan", api: "blue", worker: "magenta" } as const;
type AppName = keyof typeof colors;

/** Prints lines with the name of the process that they are about. */
function printFrom(app: AppName, text: string): void {
  const name = styleText(colors[app], app.padEnd(6));
  for (const line of text.split("\n")) console.log(`${name} ${line}`);
}

const LogLine = z.object({
  level: z.number(),
  msg: z.string().default(""),
  err: z.object({ stack: z.string() }).optional(),
});

const warn = 40;
const error = 50;

/** What the terminal shows of a line of output: warnings and errors of the log, and everything that is no log line. */
function toShownText(line: string): string | undefined {
  if (isOfInspector(line)) return undefined;
  const entry = parseLogLine(line);
  if (!entry) return line;
  const { level, msg, err } = entry;
  if (level < warn) return undefined;
  const name = level < error ? styleText("yellow", "warning") : styleText("red", "error");
  return `${name} ${[msg, err?.stack].filter(Boolean).join("\n")}`;
}

/** Node says at every start where its inspector listens. */
const isOfInspector = (line: string): boolean =>
  line.startsWith("Debugger ") || line.startsWith("For help, see: https://nodejs.org/");

function parseLogLine(line: string): z.infer<typeof LogLine> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return LogLine.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
