import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { constants } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import type { EngineProgress, RunFailure } from "@querybell/domain";
import { CpuPriority } from "./cpu-priority.ts";
import { crashFailure, failed, memoryFailure, stoppedFailure, timeFailure } from "./failures.ts";
import { watchFileSize } from "./file-size-watch.ts";
import { findHostPid } from "./host-pid.ts";
import type { Isolation } from "./isolation/isolation.ts";
import { hostNode } from "./isolation/program-files.ts";
import { residentBytes, watchMemory } from "./memory-watch.ts";
import { type Answer, HostReport, type HostRequest, type Task } from "./messages.ts";
import { killHost, spawnHost } from "./spawn-host.ts";

// What Node, a driver and a batch of rows take beside the memory that a run may use.
const overheadBytes = 256 * 1024 ** 2;
// A host that holds more than this after a task, or has done this many, has leaked enough to be replaced.
const wornOutBytes = 512 * 1024 ** 2;
const wornOutTasks = 500;
const keptErrorText = 4000;
// A result is compressed, and so smaller than its limit; a host that sends more is out of control.
const spareResultBytes = 1024 ** 2;
// One connection for the run, and a few to ask the server to stop it.
const maxConnections = 1000;

export interface TaskOptions {
  signal?: AbortSignal | undefined;
  /** Rows so far, and what the engine says: 0 as soon as a host has begun, then a few times a second. */
  onProgress?: ((rows: number, engine?: EngineProgress) => void) | undefined;
}

/** A task with what its parent does for it. */
export interface HostTask {
  task: Task;
  /** Connects to the task's server, wherever the host might want to go. */
  openSocket?: (() => Promise<Socket>) | undefined;
}

/** A piece of a stored result, and which of the task's results it belongs to. */
export interface InputPiece {
  position: number;
  bytes: Uint8Array;
}

export interface PerformOptions extends TaskOptions {
  /** The stored results of a task that computes something of them; never throws. Each host that is tried reads it. */
  input?: (() => AsyncIterable<InputPiece>) | undefined;
}

export interface TaskEnd {
  answer: Answer;
  /** What the task wrote, in order; whole only when the answer is `completed`. */
  chunks: Uint8Array[];
  /** False when the host died before it heard of the task: it can be given to another. */
  begun: boolean;
  /** Whether the host can take another task, once that is known. */
  reusable: Promise<boolean>;
  /** Whether the host died before it answered: its server may go on with the query. */
  hostDied: boolean;
}

interface EngineHostOptions {
  isolation: Isolation;
  /** All that it sees beside its program. */
  databaseFiles: readonly string[];
  /** The folder that it may write to, if any. */
  workspace?: string | undefined;
  /** How long it has to confirm a cancel, or to end a task, before it is killed. */
  graceMs: number;
}

/** How a host ended; for the operator's log. */
export interface HostExit {
  pid: number | undefined;
  code: number | null;
  signal: NodeJS.Signals | null;
  errorText: string;
}

/**
 * One child process, seen from its parent: it performs one task at a time and may die at any moment. It belongs to
 * nobody before its first task, and to that task's organization from then on.
 */
export class EngineHost {
  readonly exit: Promise<HostExit>;
  readonly #child: ChildProcess;
  readonly #graceMs: number;
  #organizationId: string | undefined;
  /** Nothing is sent before: what starts the host must not find it on the channel. */
  readonly #ready = Promise.withResolvers<void>();
  readonly #priority = new CpuPriority(() => this.#pid);
  #pid = 0;
  #stopping = false;
  #tasks = 0;

  constructor({ isolation, databaseFiles, workspace, graceMs }: EngineHostOptions) {
    this.#graceMs = graceMs;
    this.#child = spawnHost(isolation, { databaseFiles, workspace, node: hostNode });
    this.exit = exitOf(this.#child);
    this.#child.once("message", () => {
      this.#pid = findHostPid(this.#child.pid ?? 0);
      this.#ready.resolve();
    });
  }

  /** True when it ended because we wanted it to. */
  get wasStopped(): boolean {
    return this.#stopping;
  }

  async perform(
    { task, openSocket }: HostTask,
    { signal, onProgress, input }: PerformOptions = {},
  ): Promise<TaskEnd> {
    this.#organizationId ??= task.organizationId;
    if (task.organizationId !== this.#organizationId) throw new Error("A host serves one organization only.");
    const answered = Promise.withResolvers<Answer>();
    const freed = Promise.withResolvers<boolean>();
    const chunks: Uint8Array[] = [];
    let begun = false;
    let [receivedBytes, connections] = [0, 0];
    // Why we asked the host to stop; the first reason counts.
    let reason: RunFailure | undefined;

    const listen = (message: unknown) => {
      const { data: report } = HostReport.safeParse(message);
      if (!report) return this.#kill();
      if (report.kind === "ready" || report.id !== task.id) return;
      if (report.kind === "begun") {
        begun = true;
        onProgress?.(0);
      } else if (report.kind === "progress") onProgress?.(report.rows, report.engine);
      else if (report.kind === "chunk") {
        receivedBytes += report.bytes.length;
        chunks.push(report.bytes);
        if (receivedBytes > task.limits.bytes + spareResultBytes) this.#kill();
      } else if (report.kind === "connect") {
        if (++connections > maxConnections) this.#kill();
        else void this.#connect(task.id, openSocket);
      } else if (report.kind === "answer") answered.resolve(report.answer);
      else freed.resolve(true);
    };
    const stop = (why: RunFailure) => {
      reason ??= why;
      void this.#send({ kind: "cancel", id: task.id });
      void this.#killUnless(answered.promise);
    };
    const onAbort = () => stop({ code: "cancelled", message: "The run was cancelled." });
    const timer = setTimeout(() => stop(timeFailure(task)), task.limits.timeMs);
    const memory = watchMemory(
      () => this.#pid,
      task.limits.memoryBytes + overheadBytes,
      () => {
        reason ??= memoryFailure(task);
        this.#kill();
      },
    );

    const size = watchFileSize(task, () => {
      reason ??= { code: "result_too_large", message: "The database would become larger than it may be." };
      this.#kill();
    });
    const priority = this.#priority.watch();

    this.#child.on("message", listen);
    void this.#send(task);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    if (input) void this.#feed(task.id, input(), answered.promise);
    const died = this.exit.then(
      (exit): Answer => failed(this.#stopping ? stoppedFailure : crashFailure(exit)),
    );
    const { answer, hostDied } = await Promise.race([
      answered.promise.then((given) => ({ answer: given, hostDied: false })),
      died.then((failure) => ({ answer: failure, hostDied: true })),
    ]);
    clearTimeout(timer);
    memory.stop();
    size.stop();
    priority.stop();
    signal?.removeEventListener("abort", onAbort);

    void this.#killUnless(freed.promise);
    const reusable = Promise.race([freed.promise, this.exit.then(() => false)]).then((free) => {
      this.#child.off("message", listen);
      this.#tasks++;
      return free && this.#tasks < wornOutTasks && (residentBytes(this.#pid) ?? 0) < wornOutBytes;
    });
    const end = { chunks, begun: begun || reason !== undefined, reusable, hostDied };
    return { answer: answer.kind === "failed" && reason ? failed(reason) : answer, ...end };
  }

  /** Ends the process; a task in progress fails. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#kill();
    await this.exit;
  }

  async #killUnless(confirmed: Promise<unknown>): Promise<void> {
    const timer = new AbortController();
    const late = wait(this.#graceMs, true, { signal: timer.signal }).catch(() => false);
    const isLate = await Promise.race([confirmed.then(() => false), this.exit.then(() => false), late]);
    timer.abort();
    if (isLate) this.#kill();
  }

  #kill(): void {
    killHost(this.#child);
  }

  async #connect(id: number, openSocket: HostTask["openSocket"]): Promise<void> {
    try {
      if (!openSocket) throw new Error("This task has no server.");
      const socket = await openSocket();
      if (this.#child.connected) await this.#send({ kind: "connection", id }, socket);
      else socket.destroy();
    } catch (error) {
      const message = error instanceof Error ? error.message || error.name : String(error);
      await this.#send({ kind: "connection", id, error: message });
    }
  }

  /** Sends the input piece by piece, each when the one before is on its way, until the task has ended. */
  async #feed(id: number, input: AsyncIterable<InputPiece>, ended: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = Promise.race([ended, this.exit]).then(() => {
      isOver = true;
    });
    await Promise.race([this.#ready.promise, over]);
    for await (const piece of input) {
      const sent = new Promise((resolve) =>
        this.#child.send({ kind: "input", id, ...piece } satisfies HostRequest, resolve),
      );
      await Promise.race([sent, over]);
      if (isOver) return;
    }
    void this.#send({ kind: "input_end", id });
  }

  // A closed channel needs no handling here: the exit that follows ends the task.
  async #send(request: HostRequest, socket?: Socket): Promise<void> {
    await this.#ready.promise;
    this.#child.send(request, socket, {}, () => {});
  }
}

function exitOf(child: ChildProcess): Promise<HostExit> {
  let errorText = "";
  child.stderr?.on("data", (text) => {
    errorText = (errorText + text).slice(-keptErrorText);
  });
  return new Promise((resolve) => {
    const settle = (code: number | null, signal: NodeJS.Signals | null) =>
      resolve({ pid: child.pid, code, signal: signal ?? signalOf(code), errorText });
    child.once("close", settle);
    child.once("error", (error) => {
      errorText += String(error);
      if (child.pid === undefined) settle(null, null);
    });
  });
}

/** A program that stands before the host ends with this code when a signal has ended the host. */
function signalOf(code: number | null): NodeJS.Signals | null {
  const known = Object.entries(constants.signals).find(([, number]) => number === (code ?? 0) - 128);
  return known ? (known[0] as NodeJS.Signals) : null;
}
