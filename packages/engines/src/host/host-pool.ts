import type { RunFailure } from "@querybell/domain";
import { EngineHost, type HostExit, type PerformOptions, type TaskEnd } from "./engine-host.ts";
import { failed } from "./failures.ts";
import { FairSlots, type FairSlotsOptions } from "./fair-slots.ts";
import type { Task } from "./messages.ts";

// Beyond this it is not bad luck: hosts cannot be started at all.
const maxAttempts = 3;
const neverBegun: RunFailure = { code: "cancelled", message: "The run was cancelled before it began." };

export interface HostPoolOptions extends FairSlotsOptions {
  graceMs: number;
  /** How long a host without a task is kept; 5 minutes unless told. */
  idleMs?: number | undefined;
  onUnexpectedExit: (exit: HostExit) => void;
}

/**
 * Hosts that are started when needed, kept warm, and replaced when they die or are worn out. A host belongs
 * to one organization for as long as it lives. There are at most twice as many hosts as slots: those without
 * a task are evicted after a while, or when another organization needs the room.
 */
export class HostPool {
  readonly #slots: FairSlots;
  readonly #maxHosts: number;
  readonly #graceMs: number;
  readonly #idleMs: number;
  readonly #onUnexpectedExit: (exit: HostExit) => void;
  readonly #hosts = new Set<EngineHost>();
  /** Those without a task, longest idle first, with the timers that evict them. */
  readonly #idle = new Map<EngineHost, NodeJS.Timeout>();
  #closed = false;

  constructor({ graceMs, idleMs = 300_000, onUnexpectedExit, ...slots }: HostPoolOptions) {
    this.#slots = new FairSlots(slots);
    this.#maxHosts = slots.size * 2;
    this.#graceMs = graceMs;
    this.#idleMs = idleMs;
    this.#onUnexpectedExit = onUnexpectedExit;
  }

  /** Throws `AppError` when too many tasks wait, or this one waited too long. */
  async perform(task: Task, options: PerformOptions): Promise<Pick<TaskEnd, "answer" | "chunks">> {
    const release = await this.#slots.acquire(task.organizationId, options.signal);
    if (!release) return { answer: failed(neverBegun), chunks: [] };
    for (let attempt = 1; ; attempt++) {
      const host = this.#take(task.organizationId);
      const end = await host.perform(task, options);
      const givenBack = end.reusable.then((reusable) => this.#giveBack(host, reusable));
      // A host can have died while it was idle. That is not the query's fault, and costs it nothing.
      if (end.begun || attempt === maxAttempts || this.#closed) {
        void givenBack.then(release);
        return end;
      }
      await givenBack;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#slots.close();
    await Promise.all([...this.#hosts].map((host) => this.#stop(host)));
  }

  #take(organizationId: string): EngineHost {
    const warm = [...this.#idle.keys()].findLast((host) => host.organizationId === organizationId);
    if (warm) {
      clearTimeout(this.#idle.get(warm));
      this.#idle.delete(warm);
      return warm;
    }
    const [longestIdle] = this.#idle.keys();
    if (this.#hosts.size >= this.#maxHosts && longestIdle) void this.#stop(longestIdle);
    return this.#start(organizationId);
  }

  #start(organizationId: string): EngineHost {
    const host = new EngineHost({ organizationId, graceMs: this.#graceMs });
    this.#hosts.add(host);
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
