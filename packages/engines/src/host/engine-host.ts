import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { constants } from "node:os";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { EngineProgress, RunFailure } from "@querybell/domain";
import { fillCompileCache, filledCompileCache } from "./compile-cache.ts";
import { CpuPriority } from "./cpu-priority.ts";
import { crashFailure, failed, memoryFailure, shutdownFailure, timeFailure } from "./failures.ts";
import { findHostPid } from "./host-pid.ts";
import type { Isolation } from "./isolation/isolation.ts";
import { hostNode } from "./isolation/program-files.ts";
import { type MemoryBounds, MemoryLimit, usedBytes } from "./memory-limit.ts";
import { type Answer, HostReport, type HostRequest, type Task } from "./messages.ts";
import { killHost, spawnHost } from "./spawn-host.ts";
import { watchWorkspace } from "./workspace-size.ts";

// Memory of Node, a driver and a batch of rows, on top of the memory limit of the run.
const overheadBytes = 256 * 1024 ** 2;
// A host without a task is killed if it holds more memory than this, and replaced after this many tasks.
const defaultMaxIdleBytes = 512 * 1024 ** 2;
// The assumed memory of a host, if the system does not report it.
const typicalBytes = 100 * 1024 ** 2;
const recycleAfterTasks = 500;
const maxErrorTextLength = 4000;
// A compressed result is smaller than its limit, plus some overhead. A host that sends more is killed.
const resultOverheadBytes = 1024 ** 2;
// One connection for the run, and one for each request to stop it, which is repeated.
const maxConnections = 1000;

export interface TaskOptions {
  signal?: AbortSignal | undefined;
  /** Rows so far, and the engine's own progress: 0 as soon as a host has started the task, then a few times a second. */
  onProgress?: ((rows: number, engine?: EngineProgress) => void) | undefined;
}

/** Abort `signal` when the answer is no longer needed. */
export type WaitOptions = Pick<TaskOptions, "signal">;

/** A task, and the connection to its server that the parent opens for it. */
export interface HostTask {
  task: Task;
  /** Connects to the task's server. The host cannot choose the address. */
  openSocket?: (() => Promise<Socket>) | undefined;
}

/** A piece of a stored result, and which of the task's results it belongs to. */
export interface InputPiece {
  position: number;
  bytes: Uint8Array;
}

export interface PerformOptions extends TaskOptions {
  /** The stored results that the task computes from. Must not throw. Read again for each host that is tried. */
  input?: (() => AsyncIterable<InputPiece>) | undefined;
}

export interface TaskEnd {
  answer: Answer;
  /** The compressed result, in order; complete only if the answer is `completed`. */
  chunks: Uint8Array[];
  /** False if the host died before it received the task: another host can perform it. */
  started: boolean;
  /** Resolves to whether the host can take another task. */
  reusable: Promise<boolean>;
  /** Whether the host died before it answered. Its query may still run on the server. */
  hostDied: boolean;
}

interface EngineHostOptions {
  isolation: Isolation;
  /** The only files that it sees beside its program. */
  databaseFiles: readonly string[];
  /** The folder that it may write to, if any. */
  workspace?: string | undefined;
  /** How long the host may take to confirm a cancel, or to end a task, before it is killed. */
  graceMs: number;
  /** The memory that it may hold without a task. */
  maxIdleBytes?: number;
}

/** How a host ended; for the operator's log. */
export interface HostExit {
  pid: number | undefined;
  code: number | null;
  signal: NodeJS.Signals | null;
  errorText: string;
}

/**
 * One child process, seen from its parent. It performs one task at a time and may die at any moment. From its first
 * task on it belongs to that task's organization.
 */
export class EngineHost {
  readonly exit: Promise<HostExit>;
  readonly #child: ChildProcess;
  readonly #graceMs: number;
  #organizationId: string | undefined;
  /** Nothing is sent before the host is ready, because the launcher must not read it from the channel. */
  readonly #ready = Promise.withResolvers<void>();
  readonly #priority = new CpuPriority(() => this.#pid);
  #pid = 0;
  readonly #idleLimit: MemoryBounds;
  #memoryLimit: MemoryBounds;
  #memory: MemoryLimit | undefined;
  #stopping = false;
  #tasks = 0;

  constructor({ isolation, databaseFiles, workspace, graceMs, ...options }: EngineHostOptions) {
    this.#graceMs = graceMs;
    this.#idleLimit = { bytes: options.maxIdleBytes ?? defaultMaxIdleBytes, onExceeded: () => this.#kill() };
    this.#memoryLimit = this.#idleLimit;
    // Begins with the first host: a process that starts none has no use for it.
    void fillCompileCache();
    const compileCache = filledCompileCache();
    this.#child = spawnHost(isolation, { databaseFiles, workspace, node: hostNode, compileCache });
    this.exit = exitOf(this.#child);
    this.#child.once("message", () => {
      this.#pid = findHostPid(this.#child.pid ?? 0);
      this.#memory = new MemoryLimit(this.#pid, this.#memoryLimit);
      void this.exit.then(() => this.#memory?.stop());
      this.#ready.resolve();
    });
  }

  /** True if `stop` ended it. */
  get wasStopped(): boolean {
    return this.#stopping;
  }

  get usedBytes(): number {
    return usedBytes(this.#pid) ?? typicalBytes;
  }

  async perform(
    { task, openSocket }: HostTask,
    { signal, onProgress, input }: PerformOptions = {},
  ): Promise<TaskEnd> {
    this.#organizationId ??= task.organizationId;
    if (task.organizationId !== this.#organizationId) throw new Error("A host serves one organization only.");
    const answered = Promise.withResolvers<Answer>();
    const idle = Promise.withResolvers<boolean>();
    const chunks: Uint8Array[] = [];
    let started = false;
    let [receivedBytes, connections] = [0, 0];
    // Why the host was asked to stop. The first reason counts.
    let reason: RunFailure | undefined;

    const listen = (message: unknown) => {
      const { data: report } = HostReport.safeParse(message);
      if (!report) return this.#kill();
      if (report.kind === "ready" || report.id !== task.id) return;
      if (report.kind === "started") {
        started = true;
        onProgress?.(0);
      } else if (report.kind === "progress") onProgress?.(report.rows, report.engine);
      else if (report.kind === "chunk") {
        receivedBytes += report.bytes.length;
        chunks.push(report.bytes);
        if (receivedBytes > task.limits.bytes + resultOverheadBytes) this.#kill();
      } else if (report.kind === "connect") {
        if (++connections > maxConnections) this.#kill();
        else void this.#connect(task.id, openSocket);
      } else if (report.kind === "answer") answered.resolve(report.answer);
      else idle.resolve(true);
    };
    const stop = (why: RunFailure) => {
      reason ??= why;
      void this.#send({ kind: "cancel", id: task.id });
      void this.#killUnless(answered.promise);
    };
    const onAbort = () => stop({ code: "cancelled", message: "The run was cancelled." });
    const timer = setTimeout(() => stop(timeFailure(task)), task.limits.timeMs);
    this.#limitMemory({
      bytes: task.limits.memoryBytes + overheadBytes,
      onExceeded: () => {
        reason ??= memoryFailure(task);
        this.#kill();
      },
    });
    const size = this.#watchSize(task, () => {
      reason ??= { code: "result_too_large", message: "The database would become larger than it may be." };
      this.#kill();
    });
    const priority = this.#priority.watch();

    this.#child.on("message", listen);
    void this.#send(task);
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    if (input) void this.#sendInput(task.id, input(), answered.promise);
    const died = this.exit.then(
      (exit): Answer => failed(this.#stopping ? shutdownFailure : crashFailure(exit)),
    );
    const { answer, hostDied } = await Promise.race([
      answered.promise.then((given) => ({ answer: given, hostDied: false })),
      died.then((failure) => ({ answer: failure, hostDied: true })),
    ]);
    clearTimeout(timer);
    size?.stop();
    priority.stop();
    signal?.removeEventListener("abort", onAbort);

    void this.#killUnless(idle.promise);
    const reusable = Promise.race([idle.promise, this.exit.then(() => false)]).then((isIdle) => {
      this.#child.off("message", listen);
      this.#tasks++;
      const isReusable = isIdle && this.#tasks < recycleAfterTasks && this.usedBytes < this.#idleLimit.bytes;
      if (isReusable) this.#limitMemory(this.#idleLimit);
      return isReusable;
    });
    const end = { chunks, started: started || reason !== undefined, reusable, hostDied };
    return { answer: answer.kind === "failed" && reason ? failed(reason) : answer, ...end };
  }

  /** Ends the process. A task in progress fails. */
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

  #limitMemory(limit: MemoryBounds): void {
    this.#memoryLimit = limit;
    this.#memory?.change(limit);
  }

  #watchSize(task: Task, onExceeded: () => void): { stop(): void } | undefined {
    if (task.kind !== "change_tables") return undefined;
    const { database, maxFileBytes: maxBytes } = task;
    return watchWorkspace({ folder: dirname(database), pid: () => this.#pid, maxBytes }, onExceeded);
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

  /** Sends the input piece by piece, each after the one before was written to the channel, until the task ends. */
  async #sendInput(id: number, input: AsyncIterable<InputPiece>, ended: Promise<unknown>): Promise<void> {
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

  // Errors are ignored: if the channel is closed, the exit of the process ends the task.
  async #send(request: HostRequest, socket?: Socket): Promise<void> {
    await this.#ready.promise;
    this.#child.send(request, socket, {}, () => {});
  }
}

function exitOf(child: ChildProcess): Promise<HostExit> {
  let errorText = "";
  child.stderr?.on("data", (text) => {
    errorText = (errorText + text).slice(-maxErrorTextLength);
  });
  return new Promise((resolve) => {
    const resolveExit = (code: number | null, signal: NodeJS.Signals | null) =>
      resolve({ pid: child.pid, code, signal: signal ?? signalOf(code), errorText });
    child.once("close", resolveExit);
    child.once("error", (error) => {
      errorText += String(error);
      if (child.pid === undefined) resolveExit(null, null);
    });
  });
}

/** The launching program exits with 128 plus the number of the signal that ended the host. */
function signalOf(code: number | null): NodeJS.Signals | null {
  const known = Object.entries(constants.signals).find(([, number]) => number === (code ?? 0) - 128);
  return known ? (known[0] as NodeJS.Signals) : null;
}
