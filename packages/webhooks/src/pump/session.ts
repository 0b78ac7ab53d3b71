import { setTimeout as delay } from "node:timers/promises";
import { newId } from "@querybell/domain";
import { createClaimer } from "./claimer.ts";
import { createDispatcher } from "./dispatcher.ts";
import type { HeldEndpoint } from "./held-endpoint.ts";
import { createLeaseKeeper } from "./lease-keeper.ts";
import { registerPump, unregisterPump } from "./leases.ts";
import type { PumpOptions } from "./pump.ts";

const retryAfterMs = 250;
/**
 * How long closing waits. An attempt ends within its deadline of 10 s, so closing takes longer only if the
 * database is unreachable. Less than the 15 s that a worker has for shutting down.
 */
const finishTimeoutMs = 14_000;

/** A session lasts from registering under one lease to closing, or to the loss of that lease. */
export async function startSession(options: PumpOptions, onLeaseLost: (pumpId: string) => void) {
  const { pool, clock, onError } = options;
  const pumpId = newId(clock);
  // Called first, because it fails if the database is unreachable, and then nothing has to be stopped.
  await registerPump(pool, pumpId);
  const held = new Map<string, HeldEndpoint>();
  /** Serializes everything that changes `held` or the buffers, because each step awaits the database. */
  const runExclusive = createMutex();
  const claimTimer = createWakeableTimer();
  const ending = new AbortController();
  const { signal } = ending;
  const dispatcher = createDispatcher({
    ...options,
    pumpId,
    held,
    onLeaseLost: () => onLeaseLost(pumpId),
    onBufferLow: claimTimer.wake,
  });
  const leases = createLeaseKeeper({ ...options, pumpId, held, dispatcher });
  const claimer = createClaimer({ pool, pumpId, held, dispatcher, refreshSettings, signal });

  async function acquireEndpoints(endpointIds: string[]): Promise<number> {
    if (signal.aborted) return 0;
    const acquired = await leases.acquire(endpointIds);
    claimTimer.wake();
    return acquired;
  }

  async function refreshSettings(): Promise<void> {
    if (!signal.aborted) await leases.refresh();
  }

  async function runClaimLoop(): Promise<void> {
    while (!signal.aborted) {
      try {
        await runExclusive(claimer.claim);
        await runExclusive(leases.releaseIdle);
      } catch (error) {
        onError(error);
        await claimTimer.wait(retryAfterMs);
      }
      await delay(claimer.claimGapMs);
      await claimTimer.wait(claimer.nextClaimInMs());
    }
  }

  function end(): void {
    ending.abort();
    claimTimer.wake();
  }

  const claimLoop = runClaimLoop();
  return {
    pumpId,
    dispatcher,
    chooseNext: leases.chooseNext,
    acquireEndpoints: (endpointIds: string[]) => runExclusive(() => acquireEndpoints(endpointIds)),
    refreshSettings: () => runExclusive(refreshSettings),
    /** Claims now, without waiting for the next turn of the claim loop. */
    claim: () => runExclusive(claimer.claimForAll),
    /** A delivery of an endpoint is due. Does nothing if another pump holds the endpoint. */
    announceDue(endpointId: string): void {
      const endpoint = held.get(endpointId);
      if (!endpoint) return;
      endpoint.announceDue();
      claimTimer.wake();
    },
    /** How many deliveries were claimed so far. */
    get claimedCount() {
      return claimer.claimedCount;
    },
    get hasEnded() {
      return signal.aborted;
    },
    /** Finishes attempts in flight, records them, and releases the endpoints. */
    async close(): Promise<void> {
      end();
      const finished = dispatcher.finish();
      await claimLoop;
      await Promise.race([finished, delay(finishTimeoutMs, undefined, { ref: false })]);
      dispatcher.abandon();
      await runExclusive(() => unregisterPump(pool, pumpId));
    },
    /** Ends at once. The lease is lost, so nothing may be recorded any more. */
    abandon(): void {
      end();
      dispatcher.abandon();
      held.clear();
    },
  };
}

/** A timer whose wait can be ended early. */
function createWakeableTimer() {
  let isWoken = false;
  let endWait: (() => void) | undefined;
  return {
    /** Resolves after `milliseconds`, or when woken. If it was woken since the last wait, it resolves at once. */
    wait: (milliseconds: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(end, isWoken ? 0 : milliseconds);
        function end(): void {
          clearTimeout(timer);
          endWait = undefined;
          isWoken = false;
          resolve();
        }
        endWait = end;
      }),
    wake(): void {
      isWoken = true;
      endWait?.();
    },
  };
}

/** Runs tasks one at a time, in the order in which they were submitted. */
type Mutex = <T>(task: () => Promise<T>) => Promise<T>;

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const running = last.then(task, task);
    last = running.catch(() => {});
    return running;
  };
}
