import { AppError } from "./app-error.ts";

export interface FairSlotsOptions {
  size: number;
  /** How many slots one organization may hold at once. Default: all of them. */
  maxPerOrganization?: number | undefined;
  /** Limits the slots of an organization that sends too many requests, while others send requests too. */
  floodLimit?: FloodLimit | undefined;
  /** How many tasks of one organization may wait; beyond that they are refused at once. */
  maxWaitingPerOrganization?: number | undefined;
  /** How many tasks of all organizations may wait. */
  maxWaiting?: number | undefined;
  /** How long a task may wait before it is refused. Default: without limit. */
  waitMs?: number | undefined;
}

interface FloodLimit {
  slots: number;
  requestsPerSecond: number;
  /** Is told of every request. */
  count?(organizationId: string): void;
  /** Whether an organization sends too many requests to all processes together. */
  isFlood?(organizationId: string): boolean;
}

const recentMs = 1_000;

interface Waiter {
  grant(): void;
  end(): void;
}

/**
 * Shares a fixed number of slots between organizations, such as engine hosts or requests in progress. A free
 * slot goes to the waiting organization that holds the fewest, and among equals to the one served longest
 * ago. So however many tasks one organization has waiting, another waits for one slot at most.
 */
export class FairSlots {
  readonly #size: number;
  readonly #maxPerOrganization: number;
  readonly #floodLimit: FloodLimit | undefined;
  readonly #maxWaitingPerOrganization: number;
  readonly #maxWaiting: number;
  readonly #waitMs: number | undefined;
  readonly #held = new Map<string, number>();
  readonly #waiting = new Map<string, Waiter[]>();
  /** A counter value for each organization that holds a slot or waits. The lowest was served longest ago. */
  readonly #servedAt = new Map<string, number>();
  /** Organizations with a request within the last second, the oldest first: when, and how many per second. */
  readonly #recentRequests = new Map<string, { at: number; perSecond: number }>();
  #served = 0;
  #closed = false;

  constructor(options: FairSlotsOptions) {
    const { size, maxPerOrganization = size, waitMs } = options;
    this.#size = size;
    this.#maxPerOrganization = Math.max(1, maxPerOrganization);
    this.#floodLimit = options.floodLimit;
    this.#maxWaitingPerOrganization = options.maxWaitingPerOrganization ?? 100;
    this.#maxWaiting = options.maxWaiting ?? 1000;
    this.#waitMs = waitMs;
  }

  get heldCount(): number {
    return sum(this.#held.values());
  }

  get waitingCount(): number {
    return sum([...this.#waiting.values()].map((waiters) => waiters.length));
  }

  /**
   * Returns a function that releases the slot, or undefined if the signal was aborted or the slots were
   * closed first. Throws an `AppError` if the queue is full or the wait took too long.
   */
  async acquire(organizationId: string, signal?: AbortSignal): Promise<(() => void) | undefined> {
    if (this.#closed || signal?.aborted) return undefined;
    this.#countRequest(organizationId);
    const waiters = this.#waiting.get(organizationId) ?? [];
    const mayStart = this.heldCount < this.#size && this.#hasRoomFor(organizationId);
    // Its earlier tasks may wait although a slot is free, because it has reached its maximum. They go first.
    if (!mayStart || waiters.length > 0) {
      this.#refuseWhenFull(waiters.length);
      if (!(await this.#wait(organizationId, signal))) return undefined;
    } else {
      this.#hold(organizationId);
    }
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.#release(organizationId);
    };
  }

  /** Ends all waiting; slots that are held can still be released. */
  close(): void {
    this.#closed = true;
    for (const waiter of [...this.#waiting.values()].flat()) waiter.end();
  }

  #refuseWhenFull(waitingOfOrganization: number): void {
    if (waitingOfOrganization >= this.#maxWaitingPerOrganization) {
      throw new AppError(
        "rate_limited",
        "Too many requests of your organization are waiting already. Wait until some have ended, then try again.",
        { retryAfterSeconds: 5 },
      );
    }
    if (this.waitingCount >= this.#maxWaiting) throw busy();
  }

  #wait(organizationId: string, signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", waiter.end);
        const others = this.#waiting.get(organizationId)?.filter((other) => other !== waiter) ?? [];
        if (others.length > 0) this.#waiting.set(organizationId, others);
        else this.#waiting.delete(organizationId);
      };
      const waiter: Waiter = {
        // Held at once, so that no other caller takes the slot before this one continues.
        grant: () => {
          leave();
          this.#hold(organizationId);
          resolve(true);
        },
        end: () => {
          leave();
          resolve(false);
        },
      };
      const refuse = () => {
        leave();
        reject(busy());
      };
      const timer = this.#waitMs === undefined ? undefined : setTimeout(refuse, this.#waitMs);
      this.#waiting.set(organizationId, [...(this.#waiting.get(organizationId) ?? []), waiter]);
      signal?.addEventListener("abort", waiter.end, { once: true });
    });
  }

  #hold(organizationId: string): void {
    this.#held.set(organizationId, this.#heldBy(organizationId) + 1);
    this.#servedAt.set(organizationId, ++this.#served);
  }

  #release(organizationId: string): void {
    const left = this.#heldBy(organizationId) - 1;
    if (left > 0) this.#held.set(organizationId, left);
    else this.#held.delete(organizationId);
    while (!this.#closed && this.heldCount < this.#size) {
      const next = this.#nextInTurn();
      if (next === undefined) break;
      this.#waiting.get(next)?.[0]?.grant();
    }
    if (!this.#held.has(organizationId) && !this.#waiting.has(organizationId)) {
      this.#servedAt.delete(organizationId);
    }
  }

  #nextInTurn(): string | undefined {
    const servedAt = (organizationId: string) => this.#servedAt.get(organizationId) ?? 0;
    const [next] = [...this.#waiting.keys()]
      .filter(this.#hasRoomFor)
      .sort((a, b) => this.#heldBy(a) - this.#heldBy(b) || servedAt(a) - servedAt(b));
    return next;
  }

  #hasRoomFor = (organizationId: string): boolean => {
    const flood = this.#floodLimit;
    const { perSecond = 0 } = this.#recentRequests.get(organizationId) ?? {};
    const isFlood =
      flood &&
      (perSecond > flood.requestsPerSecond || flood.isFlood?.(organizationId)) &&
      !this.#isAlone(organizationId);
    return this.#heldBy(organizationId) < (isFlood ? flood.slots : this.#maxPerOrganization);
  };

  #isAlone(organizationId: string): boolean {
    const isOther = (other: string) => other !== organizationId;
    this.#deleteOldRequests();
    return ![this.#recentRequests, this.#held, this.#waiting].some((map) => map.keys().some(isOther));
  }

  /** The rate is an exponentially decaying sum, which needs no list of times. */
  #countRequest(organizationId: string): void {
    this.#floodLimit?.count?.(organizationId);
    const now = performance.now();
    const { at, perSecond } = this.#recentRequests.get(organizationId) ?? { at: now, perSecond: 0 };
    // Deleted first, so that it moves to the end of the map.
    this.#recentRequests.delete(organizationId);
    this.#recentRequests.set(organizationId, {
      at: now,
      perSecond: perSecond * Math.exp((at - now) / recentMs) + 1,
    });
    this.#deleteOldRequests();
  }

  #deleteOldRequests(): void {
    const since = performance.now() - recentMs;
    for (const [organizationId, { at }] of this.#recentRequests) {
      if (at >= since) return;
      this.#recentRequests.delete(organizationId);
    }
  }

  #heldBy = (organizationId: string): number => this.#held.get(organizationId) ?? 0;
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, count) => total + count, 0);

const busy = () =>
  new AppError("unavailable", "The service is busy. Try again in a few seconds.", {
    retryAfterSeconds: 5,
  });
