import { FairSlots, type FairSlotsOptions, type RunFailure } from "@querybell/domain";
import type { DatabaseFiles } from "./database-files.ts";
import {
  EngineHost,
  type HostExit,
  type HostTask,
  type PerformOptions,
  type TaskEnd,
} from "./engine-host.ts";
import { failed } from "./failures.ts";
import type { Isolation } from "./isolation/isolation.ts";

// Beyond this it is not bad luck: hosts cannot be started at all.
const maxAttempts = 3;
const neverBegun: RunFailure = { code: "cancelled", message: "The run was cancelled before it began." };

export interface PoolTask extends HostTask {
  files: DatabaseFiles;
}

export interface HostPoolOptions extends FairSlotsOptions {
  /** How hosts are kept apart; found out once, before the first is started. */
  isolation: () => Promise<Isolation>;
  graceMs: number;
  /** How long a host without a task is kept; 5 minutes unless told. */
  idleMs?: number | undefined;
  onUnexpectedExit: (exit: HostExit) => void;
}

/**
 * Hosts that are started when needed, kept warm, and replaced when they die or are worn out. A host belongs
 * to one organization, and sees the files of one database, for as long as it lives. There are at most twice as many hosts as slots: those without
 * a task are evicted after a while, or when another organization needs the room.
 */
export class HostPool {
  readonly #slots: FairSlots;
  readonly #isolation: () => Promise<Isolation>;
  readonly #maxHosts: number;
  readonly #graceMs: number;
  readonly #idleMs: number;
  readonly #onUnexpectedExit: (exit: HostExit) => void;
  /** All of them, each with what it may be used for. */
  readonly #hosts = new Map<EngineHost, string>();
  /** Those without a task, longest idle first, with the timers that evict them. */
  readonly #idle = new Map<EngineHost, NodeJS.Timeout>();
  #closed = false;

  constructor({ isolation, graceMs, idleMs = 300_000, onUnexpectedExit, ...slots }: HostPoolOptions) {
    this.#slots = new FairSlots(slots);
    this.#isolation = isolation;
    this.#maxHosts = slots.size * 2;
    this.#graceMs = graceMs;
    this.#idleMs = idleMs;
    this.#onUnexpectedExit = onUnexpectedExit;
  }

  /** Throws `AppError` when too many tasks wait, or this one waited too long. */
  async perform(
    work: PoolTask,
    options: PerformOptions,
  ): Promise<Pick<TaskEnd, "answer" | "chunks" | "hostDied">> {
    const release = await this.#slots.acquire(work.task.organizationId, options.signal);
    if (!release) return { answer: failed(neverBegun), chunks: [], hostDied: false };
    let isolation: Isolation;
    try {
      isolation = await this.#isolation();
    } catch (error) {
      release();
      throw error;
    }
    for (let attempt = 1; ; attempt++) {
      if (this.#closed) break;
      const host = this.#take(work, isolation);
      const end = await host.perform(work, options);
      const givenBack = end.reusable.then((reusable) => this.#giveBack(host, reusable));
      // A host can have died while it was idle. That is not the query's fault, and costs it nothing.
      if (end.begun || attempt === maxAttempts) {
        void givenBack.then(release);
        return end;
      }
      await givenBack;
    }
    release();
    return { answer: failed(neverBegun), chunks: [], hostDied: false };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#slots.close();
    await Promise.all([...this.#hosts.keys()].map((host) => this.#stop(host)));
  }

  #take(work: PoolTask, isolation: Isolation): EngineHost {
    const use = `${work.task.organizationId} ${work.files.identity}`;
    const warm = [...this.#idle.keys()].findLast((host) => this.#hosts.get(host) === use);
    if (warm) {
      clearTimeout(this.#idle.get(warm));
      this.#idle.delete(warm);
      return warm;
    }
    const [longestIdle] = this.#idle.keys();
    if (this.#hosts.size >= this.#maxHosts && longestIdle) void this.#stop(longestIdle);
    const host = new EngineHost({
      organizationId: work.task.organizationId,
      databaseFiles: work.files.paths,
      isolation,
      graceMs: this.#graceMs,
    });
    this.#hosts.set(host, use);
    void host.exit.then((exit) => {
      this.#forget(host);
      if (!host.wasStopped) this.#onUnexpectedExit(exit);
    });
    return host;
  }

  #giveBack(host: EngineHost, reusable: boolean): void {
    if (!reusable || this.#closed) return void this.#stop(host);
    const timer = setTimeout(() => void this.#stop(host), this.#idleMs).unref();
    this.#idle.set(host, timer);
  }

  #stop(host: EngineHost): Promise<void> {
    this.#forget(host);
    return host.stop();
  }

  #forget(host: EngineHost): void {
    clearTimeout(this.#idle.get(host));
    this.#idle.delete(host);
    this.#hosts.delete(host);
  }
}
