import type { Socket } from "node:net";
import { dirname } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { EngineProgress, RunFailure } from "@querybell/domain";
import { ChannelViolation } from "./channel/channel.ts";
import { CpuPriority } from "./cpu-priority.ts";
import {
  cancelFailure,
  crashFailure,
  failed,
  fileSizeFailure,
  memoryFailure,
  shutdownFailure,
  timeFailure,
} from "./failures.ts";
import { HostChild, type HostExit } from "./host-child.ts";
import { fillCompileCache, filledCompileCache, hostNode } from "./host-program.ts";
import type { HostProgram, Isolation } from "./isolation/isolation.ts";
import { type MemoryBounds, privateBytes, usedBytes } from "./memory-limit.ts";
import type { Answer, NewTask, Task } from "./messages.ts";
import { SentTask, type TaskLists, type TaskPart } from "./sent-task.ts";
import { watchWorkspace } from "./workspace-size.ts";

export type { HostExit } from "./host-child.ts";

// Memory of Node, a driver and a batch of rows, on top of the memory limit of the run.
const overheadBytes = 256 * 1024 ** 2;
// A host without a task is killed if it holds more memory than this, and replaced after this many tasks.
const defaultMaxIdleBytes = 512 * 1024 ** 2;
// The assumed memory of a host, if the system does not report it.
const typicalPrivateBytes = 50 * 1024 ** 2;
const recycleAfterTasks = 500;

export interface TaskOptions {
  signal?: AbortSignal | undefined;
  /** Rows so far, and the engine's own progress: 0 as soon as a host has started the task, then a few times a second. */
  onProgress?: ((rows: number, engine?: EngineProgress) => void) | undefined;
}

/** Abort `signal` when the answer is no longer needed. */
export type WaitOptions = Pick<TaskOptions, "signal">;

/** A task, and the connection to its server that the parent opens for it. */
export interface HostTask {
  task: NewTask;
  /** Connects to the task's server. The host cannot choose the address. */
  openSocket?: (() => Promise<Socket>) | undefined;
}

/** A piece of a stored result, and which of the task's results it belongs to. */
export interface InputPiece {
  position: number;
  bytes: Uint8Array;
}

/** What statements that run together report. */
export interface TogetherOptions extends TaskOptions {
  /** Called when their snapshot is taken. */
  onSnapshot?: (() => void) | undefined;
  /** Called when one of them has ended. */
  onPart?: (() => void) | undefined;
}

export interface SendOptions extends TogetherOptions {
  /** The stored results that the task computes from. Must not throw. Read again for each host that is tried. */
  input?: (() => AsyncIterable<InputPiece>) | undefined;
}

export interface TaskEnd {
  answer: Answer;
  /** The compressed result, in order; complete only if the answer is `completed`. */
  chunks: Uint8Array[];
  /** The statements that have ended, of those that run together. */
  parts: TaskPart[];
  /** Complete only if the answer is not `failed`. */
  lists: TaskLists;
  /** False if the host died before it received the task: another host can take it. */
  started: boolean;
  /** Resolves to whether the host can take another task. */
  reusable: Promise<boolean>;
  /** Whether the host died before it answered. Its query may still run on the server. */
  hostDied: boolean;
}

interface EngineHostOptions extends Pick<HostProgram, "databaseFiles" | "workspace"> {
  isolation: Isolation;
  /** How long the host may take to confirm a cancel, or to end a task, before it is killed. */
  graceMs: number;
  /** The memory that it may hold without a task. */
  maxIdleBytes?: number;
}

/** While a file is read, it may be written three times: unpacked, in UTF-8, and without its first lines. */
const scratchCopies = 3;

/** The folder that a task may write to, and how much. */
function workspaceOf(task: Task): { folder: string; maxBytes: number } | undefined {
  if (task.kind === "preview_upload") {
    return { folder: task.scratchFolder, maxBytes: task.file.maxUnpackedBytes * scratchCopies };
  }
  if (task.kind !== "change_tables") return undefined;
  const { database, maxFileBytes, change } = task;
  const scratchBytes = change.kind === "import" ? change.file.maxUnpackedBytes * scratchCopies : 0;
  return { folder: dirname(database), maxBytes: maxFileBytes + scratchBytes };
}

/** The limits of a task, while it runs. */
interface EnforcedLimits {
  /** Why the host was stopped or asked to stop, if it was. */
  stopReason(): RunFailure | undefined;
  /** Ends the enforcement. */
  stop(): void;
}

/**
 * An engine host, seen from its parent. It executes one task at a time and may die at any moment. From its first task on
 * it belongs to that task's organization.
 */
export class EngineHost {
  readonly exit: Promise<HostExit>;
  readonly #child: HostChild;
  readonly #graceMs: number;
  #organizationId: string | undefined;
  readonly #idleLimit: MemoryBounds;
  #sent: SentTask | undefined;
  #stopping = false;
  #tasks = 0;

  constructor({ graceMs, maxIdleBytes = defaultMaxIdleBytes, ...options }: EngineHostOptions) {
    this.#graceMs = graceMs;
    this.#idleLimit = { bytes: maxIdleBytes, onExceeded: () => this.#child.kill() };
    // Begins with the first host: a process that starts none has no use for it.
    void fillCompileCache();
    this.#child = new HostChild({
      ...options,
      memory: this.#idleLimit,
      node: hostNode,
      compileCache: filledCompileCache(),
      // Reports about a task that has ended are ignored.
      onReport: (report, attachment) => {
        if (report.id === this.#sent?.task.id) this.#sent.receive(report, attachment);
        // Only the task limits how many of these there are.
        else if (report.kind === "chunk") throw new ChannelViolation("a piece of a result of no task");
      },
    });
    this.exit = this.#child.exit;
    const priority = new CpuPriority(() => this.#child.pid).watch();
    void this.exit.then(() => priority.stop());
  }

  /** True if `stop` ended it. */
  get wasStopped(): boolean {
    return this.#stopping;
  }

  /** The memory that is free again when it ends: what it maps of files, other hosts map too. */
  get privateBytes(): number {
    return privateBytes(this.#child.pid) ?? typicalPrivateBytes;
  }

  get #usedBytes(): number {
    return usedBytes(this.#child.pid) ?? 0;
  }

  /** Sends a task to the process, and waits for the answer or for the end of the process. */
  async sendTask(
    { task: newTask, openSocket }: HostTask,
    { signal, input, ...reports }: SendOptions = {},
  ): Promise<TaskEnd> {
    const task: Task = { ...newTask, id: ++this.#tasks };
    this.#organizationId ??= task.organizationId;
    if (task.organizationId !== this.#organizationId) throw new Error("A host serves one organization only.");
    const sent = new SentTask({ host: this.#child, task, openSocket, ...reports });
    this.#sent = sent;
    this.#child.startTask(task);
    const limits = this.#enforceLimits(sent, signal);
    if (input) void this.#sendInput(sent, input());
    const { answer, hostDied } = await this.#untilAnswer(sent);
    limits.stop();
    const stopReason = limits.stopReason();
    return {
      answer: answer.kind === "failed" && stopReason ? failed(stopReason) : answer,
      chunks: sent.chunks,
      parts: sent.parts,
      lists: sent.lists,
      started: sent.isStarted || stopReason !== undefined,
      reusable: this.#untilReusable(sent),
      hostDied,
    };
  }

  /** Ends the process. A task in progress fails. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#child.kill();
    await this.exit;
  }

  /** The host's answer, or the failure of a host that ended before it gave one. */
  #untilAnswer(sent: SentTask): Promise<Pick<TaskEnd, "answer" | "hostDied">> {
    return Promise.race([
      sent.answer.then((answer) => ({ answer, hostDied: false })),
      this.exit.then((exit) => ({
        answer: failed(this.#stopping ? shutdownFailure : crashFailure(exit)),
        hostDied: true,
      })),
    ]);
  }

  /** Stops the task when it takes too long, too much memory or too much space, or is cancelled. */
  #enforceLimits({ task, answer }: SentTask, signal: AbortSignal | undefined): EnforcedLimits {
    // The first reason counts.
    let reason: RunFailure | undefined;
    const kill = (why: RunFailure) => {
      reason ??= why;
      this.#child.kill();
    };
    const cancel = (why: RunFailure) => {
      reason ??= why;
      void this.#child.send({ kind: "cancel", id: task.id });
      void this.#killUnless(answer);
    };
    const onAbort = () => cancel(cancelFailure);
    // Of statements that run together, the host limits each.
    const statements = task.kind === "run_together" ? task.statements.length : 1;
    const timer = setTimeout(() => cancel(timeFailure(task)), task.limits.timeMs * statements);
    this.#child.limitMemory({
      bytes: task.limits.memoryBytes + overheadBytes,
      onExceeded: () => kill(memoryFailure(task)),
    });
    const size = this.#watchSize(task, () => kill(fileSizeFailure));
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    return {
      stopReason: () => reason,
      stop() {
        clearTimeout(timer);
        size?.stop();
        signal?.removeEventListener("abort", onAbort);
      },
    };
  }

  /** Kills a host that does not become idle. */
  async #untilReusable({ idle }: SentTask): Promise<boolean> {
    void this.#killUnless(idle);
    const isIdle = await Promise.race([idle.then(() => true), this.exit.then(() => false)]);
    this.#sent = undefined;
    const isReusable = isIdle && this.#tasks < recycleAfterTasks && this.#usedBytes < this.#idleLimit.bytes;
    if (isReusable) this.#child.limitMemory(this.#idleLimit);
    return isReusable;
  }

  #watchSize(task: Task, onExceeded: () => void): { stop(): void } | undefined {
    const workspace = workspaceOf(task);
    return workspace && watchWorkspace({ ...workspace, pid: () => this.#child.pid }, onExceeded);
  }

  async #killUnless(confirmed: Promise<unknown>): Promise<void> {
    const timer = new AbortController();
    const late = wait(this.#graceMs, true, { signal: timer.signal }).catch(() => false);
    const isLate = await Promise.race([confirmed.then(() => false), this.exit.then(() => false), late]);
    timer.abort();
    if (isLate) this.#child.kill();
  }

  /** Sends the input piece by piece, each after the one before was written to the channel, until the task ends. */
  async #sendInput({ task: { id }, answer }: SentTask, input: AsyncIterable<InputPiece>): Promise<void> {
    const over = Promise.race([answer, this.exit]).then(() => false);
    for await (const { position, bytes } of input) {
      const isSent = await Promise.race([over, this.#child.send({ kind: "input", id, position }, bytes)]);
      if (!isSent) return;
    }
    void this.#child.send({ kind: "input_end", id });
  }
}
