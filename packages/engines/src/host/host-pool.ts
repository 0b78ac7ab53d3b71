import type { RunFailure } from "@querybell/domain";
import { EngineHost, type HostExit, type TaskEnd, type TaskOptions } from "./engine-host.ts";
import { failed } from "./failures.ts";
import type { Task } from "./messages.ts";

// Beyond this it is not bad luck: hosts cannot be started at all.
const maxAttempts = 3;
const neverBegun: RunFailure = { code: "cancelled", message: "The run was cancelled before it began." };

interface Waiter {
  take(host: EngineHost | undefined): void;
}

interface HostPoolOptions {
  size: number;
  graceMs: number;
  onUnexpectedExit: (exit: HostExit) => void;
}

/** Hosts that are started when needed, kept warm, and replaced when they die or are worn out. */
export class HostPool {
  readonly #size: number;
  readonly #graceMs: number;
  readonly #onUnexpectedExit: (exit: HostExit) => void;
  readonly #hosts = new Set<EngineHost>();
  readonly #idle: EngineHost[] = [];
  readonly #waiting: Waiter[] = [];
  #closed = false;

  constructor({ size, graceMs, onUnexpectedExit }: HostPoolOptions) {
    this.#size = size;
    this.#graceMs = graceMs;
    this.#onUnexpectedExit = onUnexpectedExit;
  }

  async perform(task: Task, options: TaskOptions): Promise<Pick<TaskEnd, "answer" | "chunks">> {
    for (let attempt = 1; ; attempt++) {
      const host = await this.#take(options.signal);
      if (!host) return { answer: failed(neverBegun), chunks: [] };
      const end = await host.perform(task, options);
      void end.reusable.then((reusable) => this.#giveBack(host, reusable));
      // A host can have died while it was idle. That is not the query's fault, and costs it nothing.
      if (end.begun || attempt === maxAttempts) return end;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const waiter of this.#waiting.splice(0)) waiter.take(undefined);
    await Promise.all([...this.#hosts].map((host) => host.stop()));
  }

  /** First come, first served; undefined when the caller gave up, or the pool closed, before its turn. */
  #take(signal: AbortSignal | undefined): Promise<EngineHost | undefined> | EngineHost | undefined {
    if (this.#closed || signal?.aborted) return undefined;
    return this.#ready() ?? this.#wait(signal);
  }

  #ready(): EngineHost | undefined {
    return this.#idle.pop() ?? (this.#hosts.size < this.#size ? this.#start() : undefined);
  }

  #wait(signal: AbortSignal | undefined): Promise<EngineHost | undefined> {
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        resolve(undefined);
      };
      const waiter: Waiter = {
        take: (host) => {
          signal?.removeEventListener("abort", giveUp);
          resolve(host);
        },
      };
      this.#waiting.push(waiter);
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  #start(): EngineHost {
    const host = new EngineHost(this.#graceMs);
    this.#hosts.add(host);
    void host.exit.then((exit) => {
      this.#hosts.delete(host);
      const at = this.#idle.indexOf(host);
      if (at !== -1) this.#idle.splice(at, 1);
      if (!host.wasStopped) this.#onUnexpectedExit(exit);
    });
    return host;
  }

  #giveBack(host: EngineHost, reusable: boolean): void {
    if (!reusable) {
      void host.stop();
      this.#hosts.delete(host);
    } else {
      this.#idle.push(host);
    }
    if (this.#closed || this.#waiting.length === 0) return;
    const ready = this.#ready();
    if (ready) this.#waiting.shift()?.take(ready);
  }
}
