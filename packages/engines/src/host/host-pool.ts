import { FairSlots, type FairSlotsOptions, type RunFailure } from "@querybell/domain";
import { type DatabaseFiles, noFiles } from "./database-files.ts";
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
  /** Whether a host is started ahead for the next organization that needs one. */
  keepsSpare?: boolean | undefined;
  /** Whether a host performs one task only, and has ended before that is answered. */
  isSingleUse?: boolean | undefined;
  onUnexpectedExit: (exit: HostExit) => void;
}

/**
 * Hosts that are started when needed, kept warm, and replaced when they die or are worn out. A host belongs to one
 * organization, and sees the files of one database, for as long as it lives. There are at most twice as many hosts as
 * slots, and the spare one: those without a task are evicted after a while, or when another organization needs the room.
 *
 * The spare host is one that has never had a task and sees no files. An organization that comes to a database server
 * gets it instead of waiting for a start.
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
  readonly #keepsSpare: boolean;
  readonly #isSingleUse: boolean;
  #spare: { host: EngineHost; timer: NodeJS.Timeout } | undefined;
  #closed = false;

  constructor({ isolation, graceMs, idleMs = 300_000, onUnexpectedExit, ...options }: HostPoolOptions) {
    const { keepsSpare = false, isSingleUse = false, ...slots } = options;
    this.#slots = new FairSlots(slots);
    this.#keepsSpare = keepsSpare;
    this.#isSingleUse = isSingleUse;
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
      const { host, isNew } = this.#take(work, isolation);
      const end = await host.perform(work, options);
      if (this.#isSingleUse) await this.#stop(host);
      const givenBack = end.reusable.then((reusable) => {
        this.#giveBack(host, reusable);
        // Not before: the start would take the processor from the task.
        if (isNew && seesNoFiles(work)) this.#startSpare(isolation);
      });
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
    const spare = this.#takeSpare();
    const hosts = [...this.#hosts.keys(), ...(spare ? [spare] : [])];
    await Promise.all(hosts.map((host) => this.#stop(host)));
  }

  #take(work: PoolTask, isolation: Isolation): { host: EngineHost; isNew: boolean } {
    const use = `${work.task.organizationId} ${work.files.identity}`;
    const warm = [...this.#idle.keys()].findLast((host) => this.#hosts.get(host) === use);
    if (warm) {
      clearTimeout(this.#idle.get(warm));
      this.#idle.delete(warm);
      return { host: warm, isNew: false };
    }
    const [longestIdle] = this.#idle.keys();
    if (this.#hosts.size >= this.#maxHosts && longestIdle) void this.#stop(longestIdle);
    const spare = seesNoFiles(work) ? this.#takeSpare() : undefined;
    const host = spare ?? this.#start(isolation, work.files);
    this.#hosts.set(host, use);
    return { host, isNew: true };
  }

  #start(isolation: Isolation, { paths: databaseFiles, workspace }: DatabaseFiles): EngineHost {
    const host = new EngineHost({ isolation, databaseFiles, workspace, graceMs: this.#graceMs });
    void host.exit.then((exit) => {
      if (this.#spare?.host === host) this.#takeSpare();
      this.#forget(host);
      if (!host.wasStopped) this.#onUnexpectedExit(exit);
    });
    return host;
  }

  #startSpare(isolation: Isolation): void {
    if (!this.#keepsSpare || this.#closed || this.#spare) return;
    const host = this.#start(isolation, noFiles);
    const timer = setTimeout(() => void this.#takeSpare()?.stop(), this.#idleMs).unref();
    this.#spare = { host, timer };
  }

  #takeSpare(): EngineHost | undefined {
    const spare = this.#spare;
    clearTimeout(spare?.timer);
    this.#spare = undefined;
    return spare?.host;
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

const seesNoFiles = ({ files }: PoolTask): boolean =>
  files.paths.length === 0 && files.workspace === undefined;
