import { totalmem } from "node:os";
import { FairSlots, type FairSlotsOptions, type RunFailure } from "@querybell/domain";
import { type DatabaseFiles, noFiles } from "./database-files.ts";
import { EngineHost, type HostExit, type HostTask, type SendOptions, type TaskEnd } from "./engine-host.ts";
import { failed } from "./failures.ts";
import type { Isolation } from "./isolation/isolation.ts";
import type { NewTask } from "./messages.ts";

// Starting a host takes a fifth of a second of CPU time, so idle hosts are worth this part of the memory.
const defaultIdleBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity) / 16;
// If two hosts died with the same task, the task may be the cause.
const maxAttempts = 2;
const cancelledEarly: RunFailure = { code: "cancelled", message: "The run was cancelled before it started." };

export type TaskOutcome = Pick<TaskEnd, "answer" | "chunks" | "parts" | "lists" | "hostDied">;

/** The outcome of a task that no host received. */
export const notStarted = (failure: RunFailure): TaskOutcome => ({
  answer: failed(failure),
  chunks: [],
  parts: [],
  lists: { fields: [], columns: [], comments: [], schemas: [] },
  hostDied: false,
});

interface PoolTask extends Pick<HostTask, "openSocket"> {
  task: NewTask;
  files: DatabaseFiles;
  /** Starts at once, without a slot. For tasks that free what others occupy. */
  isUrgent?: boolean;
}

export interface HostPoolOptions extends FairSlotsOptions {
  /** The isolation method of hosts; called before each start, so it must be cached. */
  isolation: () => Promise<Isolation>;
  graceMs: number;
  /** How long an idle host is kept. Default: 5 minutes. */
  idleMs?: number | undefined;
  /** How much memory idle hosts may take before another organization's host replaces one. */
  idleBytes?: number | undefined;
  /** Whether a spare host is started in advance for the next organization that needs one. */
  keepsSpareHost?: boolean | undefined;
  /** Whether a host executes one task only, and has ended before that is answered. */
  isSingleUse?: boolean | undefined;
  onUnexpectedExit: (exit: HostExit) => void;
}

/**
 * A pool of hosts. Hosts are started on demand, reused, and replaced when they die or were used for long. A host belongs
 * to one organization and sees the files of one database for as long as it lives. Idle hosts are evicted after a while,
 * or for a host of another organization: when there are twice as many hosts as slots, and the idle ones take more
 * memory than they may.
 *
 * The spare host has had no task and sees no files. An organization whose first task is on a database server gets it
 * instead of waiting for a start.
 */
export class HostPool {
  readonly #options: HostPoolOptions & { idleMs: number; idleBytes: number };
  readonly #slots: FairSlots;
  /** All hosts, each with the organization and files that it may be used for. */
  readonly #hosts = new Map<EngineHost, string>();
  /** Hosts without a task, longest idle first, with the timers that evict them. */
  readonly #idle = new Map<EngineHost, NodeJS.Timeout>();
  #spare: { host: EngineHost; timer: NodeJS.Timeout } | undefined;
  #lastId = 0;
  #closed = false;

  constructor(options: HostPoolOptions) {
    const { idleMs = 300_000, idleBytes = defaultIdleBytes } = options;
    this.#options = { ...options, idleMs, idleBytes };
    this.#slots = new FairSlots(options);
  }

  /** Throws `AppError` if too many tasks wait, or this one waited too long. */
  async runTask(work: PoolTask, options: SendOptions): Promise<TaskOutcome> {
    const release = work.isUrgent
      ? () => {}
      : await this.#slots.acquire(work.task.organizationId, options.signal);
    if (!release) return notStarted(cancelledEarly);
    const id = ++this.#lastId;
    let whenIdle = Promise.resolve();
    try {
      const isolation = await this.#options.isolation();
      for (let attempt = 1; !this.#closed; attempt++) {
        const { end, released } = await this.#tryHost({ ...work, id, isolation }, options);
        whenIdle = released;
        // An idle host can have died. The task has not started then, so another host gets it.
        if (end.started || attempt === maxAttempts) return end;
        await released;
      }
      return notStarted(cancelledEarly);
    } finally {
      void whenIdle.then(release);
    }
  }

  /** Sends a task to a host. `released` resolves when the host is idle again, or is being stopped. */
  async #tryHost(
    { id, isolation, ...work }: PoolTask & { id: number; isolation: Isolation },
    options: SendOptions,
  ): Promise<{ end: TaskEnd; released: Promise<void> }> {
    const { host, isNew } = this.#acquire(work, isolation);
    const end = await host.sendTask({ task: { ...work.task, id }, openSocket: work.openSocket }, options);
    if (this.#options.isSingleUse) await this.#stop(host);
    const released = end.reusable.then((reusable) => {
      this.#release(host, reusable);
      // Not earlier: the start would take CPU time from the task.
      if (isNew && seesNoFiles(work)) this.#startSpare(isolation);
    });
    return { end, released };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#slots.close();
    const spare = this.#removeSpare();
    const hosts = [...this.#hosts.keys(), ...(spare ? [spare] : [])];
    await Promise.all(hosts.map((host) => this.#stop(host)));
  }

  #acquire(work: PoolTask, isolation: Isolation): { host: EngineHost; isNew: boolean } {
    const use = `${work.task.organizationId} ${work.files.identity}`;
    const reused = [...this.#idle.keys()].findLast((host) => this.#hosts.get(host) === use);
    if (reused) {
      clearTimeout(this.#idle.get(reused));
      this.#idle.delete(reused);
      return { host: reused, isNew: false };
    }
    this.#makeRoom();
    const spare = seesNoFiles(work) ? this.#removeSpare() : undefined;
    const host = spare ?? this.#start(isolation, work.files);
    this.#hosts.set(host, use);
    return { host, isNew: true };
  }

  #makeRoom(): void {
    const [longestIdle] = this.#idle.keys();
    if (!longestIdle || this.#hosts.size < this.#options.size * 2) return;
    const bytes = this.#idle.keys().reduce((sum, host) => sum + host.usedBytes, 0);
    if (bytes >= this.#options.idleBytes) void this.#stop(longestIdle);
  }

  #start(isolation: Isolation, { paths: databaseFiles, workspace }: DatabaseFiles): EngineHost {
    const host = new EngineHost({ isolation, databaseFiles, workspace, graceMs: this.#options.graceMs });
    void host.exit.then((exit) => {
      if (this.#spare?.host === host) this.#removeSpare();
      this.#remove(host);
      if (!host.wasStopped) this.#options.onUnexpectedExit(exit);
    });
    return host;
  }

  #startSpare(isolation: Isolation): void {
    if (!this.#options.keepsSpareHost || this.#closed || this.#spare) return;
    const host = this.#start(isolation, noFiles);
    const timer = setTimeout(() => void this.#removeSpare()?.stop(), this.#options.idleMs).unref();
    this.#spare = { host, timer };
  }

  #removeSpare(): EngineHost | undefined {
    const spare = this.#spare;
    clearTimeout(spare?.timer);
    this.#spare = undefined;
    return spare?.host;
  }

  #release(host: EngineHost, reusable: boolean): void {
    if (!reusable || this.#closed) return void this.#stop(host);
    const timer = setTimeout(() => void this.#stop(host), this.#options.idleMs).unref();
    this.#idle.set(host, timer);
  }

  #stop(host: EngineHost): Promise<void> {
    this.#remove(host);
    return host.stop();
  }

  #remove(host: EngineHost): void {
    clearTimeout(this.#idle.get(host));
    this.#idle.delete(host);
    this.#hosts.delete(host);
  }
}

const seesNoFiles = ({ files }: PoolTask): boolean =>
  files.paths.length === 0 && files.workspace === undefined;
