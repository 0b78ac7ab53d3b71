import type { ClaimedDelivery } from "../deliveries/claim-due-deliveries.ts";
import type { RecordResult } from "../deliveries/record-outcomes.ts";
import { createAttempts } from "./attempts.ts";
import type { EndpointSettings } from "./endpoint-settings.ts";
import { type HeldEndpoint, slowAfterMs } from "./held-endpoint.ts";
import { createLanes, createStarter } from "./lanes.ts";
import type { PumpOptions, PumpStats } from "./pump.ts";

interface DispatcherOptions extends PumpOptions {
  pumpId: string;
  held: ReadonlyMap<string, HeldEndpoint>;
  onLeaseLost: () => void;
  /** An endpoint's buffer is low, and more may be due. */
  onBufferLow: () => void;
}

/** Sends buffered deliveries, within the limits of windows, rates and lanes, and records the outcomes. */
export interface Dispatcher {
  enqueue(endpoint: HeldEndpoint, deliveries: ClaimedDelivery[]): void;
  /** Starts as many attempts as the limits allow now. */
  dispatch(): void;
  /** New settings apply from the next attempt on. Buffered deliveries are dropped, to be claimed again. */
  applySettings(endpoint: HeldEndpoint, settings: EndpointSettings): void;
  /** Checks the rate limits now instead of when their timers end. For tests, which move the clock. */
  retryRateLimited(): void;
  /** Resolves when nothing is in flight and every outcome is recorded. */
  whenIdle(): Promise<void>;
  /** Starts no more attempts, and resolves when idle. */
  finish(): Promise<void>;
  /** Stops at once. Outcomes of attempts in flight are not recorded. */
  abandon(): void;
  readonly buffered: number;
  readonly unrecorded: number;
  stats(): PumpStats;
}

/** A slow attempt is noticed after 750 ms at most. */
const checkSlowEveryMs = slowAfterMs / 2;
/**
 * With answers after 10 ms, 256 slots are 25,000 attempts a second, more than one process can send. The lanes whose
 * receivers may be slow need more slots for less.
 */
const defaultSlots = { healthy: 256, untried: 512, struggling: 512 };

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { clock, held, onLeaseLost, onBufferLow, slots = defaultSlots } = options;
  const lanes = createLanes(slots);
  const attempts = createAttempts({ ...options, lanes, onEnded, onRecorded });
  const starter = createStarter({ clock, lanes, start, onLaterStarts: notifyIfIdle });
  let idleListeners: (() => void)[] = [];

  function start(endpoint: HeldEndpoint): boolean {
    const isStarted = attempts.start(endpoint);
    if (isStarted && endpoint.mayHaveMore && endpoint.needsRefill) onBufferLow();
    return isStarted;
  }

  function onEnded(endpoint: HeldEndpoint): void {
    starter.markReady(endpoint);
    starter.startReady();
    notifyIfIdle();
  }

  function onRecorded({ hasLease, disabledEndpointIds }: RecordResult): void {
    if (!hasLease) {
      onLeaseLost();
      return;
    }
    for (const id of disabledEndpointIds) {
      const endpoint = held.get(id);
      if (endpoint) applySettings(endpoint, { ...endpoint.settings, isActive: false });
    }
    notifyIfIdle();
  }

  function applySettings(endpoint: HeldEndpoint, settings: EndpointSettings): void {
    endpoint.settings = settings;
    // Buffered deliveries may have been cancelled or held by the same change, so they are claimed again.
    clearBuffer(endpoint);
  }

  function clearBuffer(endpoint: HeldEndpoint): void {
    lanes.unmarkReady(endpoint);
    endpoint.clearBuffer();
  }

  const slowCheck = setInterval(() => {
    attempts.moveSlow();
    starter.startReady();
  }, checkSlowEveryMs);

  const isIdle = () => attempts.isIdle && !starter.isWaiting;

  function notifyIfIdle(): void {
    if (isIdle()) notifyIdle();
  }

  function notifyIdle(): void {
    const listeners = idleListeners;
    idleListeners = [];
    for (const resolve of listeners) resolve();
  }

  const whenIdle = () =>
    isIdle() ? Promise.resolve() : new Promise<void>((resolve) => idleListeners.push(resolve));

  function stopTimers(): void {
    clearInterval(slowCheck);
    starter.stop();
  }

  function countBuffered(): number {
    let sum = 0;
    for (const { buffered } of held.values()) sum += buffered;
    return sum;
  }

  return {
    enqueue(endpoint, deliveries) {
      for (const delivery of deliveries) endpoint.addToBuffer(delivery);
      // A retry: the endpoint has failed before, even if not while this pump held it.
      const hasRetry = deliveries.some(({ attemptCount }) => attemptCount > 0);
      if (hasRetry && endpoint.lane === "untried") lanes.move(endpoint, "struggling");
      starter.markReady(endpoint);
    },
    dispatch: starter.startReady,
    applySettings,
    retryRateLimited: starter.retryRateLimited,
    whenIdle,
    async finish() {
      for (const endpoint of held.values()) clearBuffer(endpoint);
      await whenIdle();
      stopTimers();
    },
    abandon() {
      attempts.abandon();
      for (const endpoint of held.values()) {
        endpoint.isLeaseLost = true;
        clearBuffer(endpoint);
      }
      stopTimers();
      notifyIdle();
    },
    get buffered() {
      return countBuffered();
    },
    get unrecorded() {
      return attempts.unrecorded;
    },
    stats: () => ({
      endpoints: held.size,
      buffered: countBuffered(),
      unrecorded: attempts.unrecorded,
      inFlight: lanes.inFlight(),
    }),
  };
}
