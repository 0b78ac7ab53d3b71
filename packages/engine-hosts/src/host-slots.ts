import { FairSlots, type FairSlotsOptions, type RunFailure } from "@querybell/domain";
import type { DatabaseFiles } from "./database-files.ts";
import type { HostTask, SendOptions, TaskEnd } from "./engine-host.ts";
import { failed } from "./failures.ts";
import type { Hosts } from "./hosts.ts";

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

interface SlotTask extends HostTask {
  files: DatabaseFiles;
  /** Starts at once, without a slot. For tasks that free what others occupy. */
  isUrgent?: boolean;
}

interface HostSlotsOptions extends FairSlotsOptions {
  hosts: Hosts;
  /** Whether a host executes one task only, and has ended before that is answered. */
  isSingleUse?: boolean;
}

/** How many tasks of a kind are executed at once. The others wait, each organization in its turn. */
export class HostSlots {
  readonly #hosts: Hosts;
  readonly #isSingleUse: boolean;
  readonly #slots: FairSlots;

  constructor({ hosts, isSingleUse = false, ...slots }: HostSlotsOptions) {
    this.#hosts = hosts;
    this.#isSingleUse = isSingleUse;
    this.#slots = new FairSlots(slots);
  }

  /** Throws `AppError` if too many tasks wait, or this one waited too long. */
  async runTask(work: SlotTask, options: SendOptions): Promise<TaskOutcome> {
    const release = work.isUrgent
      ? () => {}
      : await this.#slots.acquire(work.task.organizationId, options.signal);
    if (!release) return notStarted(cancelledEarly);
    let whenIdle = Promise.resolve();
    try {
      for (let attempt = 1; ; attempt++) {
        const tried = await this.#tryHost(work, options);
        if (!tried) return notStarted(cancelledEarly);
        whenIdle = tried.released;
        // An idle host can have died. The task has not started then, so another host gets it.
        if (tried.end.started || attempt === maxAttempts) return tried.end;
        await whenIdle;
      }
    } finally {
      void whenIdle.then(release);
    }
  }

  /** Ends all waiting. */
  close(): void {
    this.#slots.close();
  }

  /** Sends a task to a host. `released` resolves when the host is idle again, or is being stopped. */
  async #tryHost(
    { files, ...work }: SlotTask,
    options: SendOptions,
  ): Promise<{ end: TaskEnd; released: Promise<void> } | undefined> {
    const acquired = await this.#hosts.acquire({ organizationId: work.task.organizationId, files });
    if (!acquired) return undefined;
    const { host, release } = acquired;
    const end = await host.sendTask(work, options);
    if (this.#isSingleUse) await this.#hosts.stop(host);
    return { end, released: end.reusable.then(release) };
  }
}
