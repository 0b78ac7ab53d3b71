import type { ClaimedDelivery } from "../deliveries/claim-due-deliveries.ts";
import { type OutcomeRecord, toOutcomeRecord } from "../deliveries/outcome-record.ts";
import type { RecordResult } from "../deliveries/record-outcomes.ts";
import type { AttemptResult } from "../send/attempt-result.ts";
import { outcomeClass } from "../send/outcome.ts";
import { createTurnBudget } from "../turn-budget.ts";
import { endAttemptSpan, startAttemptSpan } from "./attempt-span.ts";
import { type Endpoint, findSigningSecret } from "./endpoint.ts";
import type { HeldEndpoint } from "./held-endpoint.ts";
import { createLanes } from "./lanes.ts";
import type { PumpOptions, PumpStats } from "./options.ts";
import { createOutcomeRecorder } from "./outcome-recorder.ts";

interface DispatcherOptions extends PumpOptions {
  pumpId: string;
  held: ReadonlyMap<string, HeldEndpoint>;
  onLeaseLost: () => void;
  /** An endpoint's buffer is low, and more may be due. */
  onBufferLow: () => void;
}

/** Sends buffered deliveries, within the limits of windows, rates and lanes, and records the outcomes. */
export interface Dispatcher extends PumpStats {
  enqueue(endpoint: HeldEndpoint, deliveries: ClaimedDelivery[]): void;
  /** Starts as many attempts as the limits allow now. */
  dispatch(): void;
  /** New settings apply from the next attempt on. Buffered deliveries are dropped, to be claimed again. */
  applySettings(endpoint: HeldEndpoint, settings: Endpoint): void;
  /** Checks the rate limits now instead of when their timers end. For tests, which move the clock. */
  retryRateLimited(): void;
  /** Resolves when nothing is in flight and every outcome is recorded. */
  whenIdle(): Promise<void>;
  /** Starts no more attempts, and resolves when idle. */
  finish(): Promise<void>;
  /** Stops at once. Outcomes of attempts in flight are not recorded. */
  abandon(): void;
}

/** An attempt that takes longer than this moves its endpoint to the struggling lane, before it ends. */
const slowAfterMs = 500;
/** Half of `slowAfterMs`: a slow attempt is noticed after 750 ms at most. */
const checkSlowEveryMs = 250;
/**
 * With answers after 10 ms, 256 slots are 25,000 attempts a second, more than one process can send. The lanes whose
 * receivers may be slow need more slots for less.
 */
const defaultSlots = { healthy: 256, untried: 512, struggling: 512 };
/** Attempts of these lanes often open a connection. In one turn of the event loop only a few start. */
const otherLanes = ["untried", "struggling"] as const;
const maxOtherStartsPerTurn = 2;

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { pool, pumpId, clock, sender, observer, onError, onLeaseLost, onBufferLow, held } = options;
  const { random = Math.random, slots = defaultSlots } = options;
  const lanes = createLanes(slots);
  const otherStarts = createTurnBudget(maxOtherStartsPerTurn, dispatchInNextTurn);
  const recorder = createOutcomeRecorder({ pool, pumpId, onRecorded, onError });
  /** In the order in which they started. */
  const inFlight = new Map<ClaimedDelivery, { endpoint: HeldEndpoint; startedAt: number }>();
  const endpointByDelivery = new Map<string, HeldEndpoint>();
  const rateLimitTimers = new Map<HeldEndpoint, NodeJS.Timeout>();
  let idleListeners: (() => void)[] = [];
  let nextPosition = 0;
  let isFinishing = false;

  function markReady(endpoint: HeldEndpoint): void {
    if (endpoint.buffered > 0 && endpoint.hasRoom && endpoint.settings.isActive) lanes.markReady(endpoint);
  }

  function dispatch(): void {
    for (let endpoint = lanes.takeReady("healthy"); endpoint; endpoint = lanes.takeReady("healthy")) {
      startWhenAllowed(endpoint);
    }
    for (const lane of otherLanes) {
      while (lanes.hasReady(lane) && otherStarts.take()) {
        const endpoint = lanes.takeReady(lane);
        if (endpoint) startWhenAllowed(endpoint);
      }
    }
  }

  function dispatchInNextTurn(): void {
    dispatch();
    if (isIdle()) notifyIdle();
  }

  function startWhenAllowed(endpoint: HeldEndpoint): void {
    const waitMs = endpoint.msUntilAllowed(clock.now());
    if (waitMs > 0) dispatchLater(endpoint, waitMs);
    else startNext(endpoint);
  }

  function startNext(endpoint: HeldEndpoint): void {
    const { settings } = endpoint;
    const secret = findSigningSecret(settings, clock.now());
    const delivery = secret && endpoint.takeFromBuffer();
    if (!delivery) return;
    endpoint.countAgainstRateLimit();
    lanes.attemptStarted(endpoint);
    inFlight.set(delivery, { endpoint, startedAt: performance.now() });
    const span = startAttemptSpan(delivery);
    const event = { id: delivery.eventId, body: delivery.body, traceparent: span?.traceparent };
    sender.send(settings, secret.key, event).then((result) => {
      if (span) endAttemptSpan(span, result);
      inFlight.delete(delivery);
      lanes.attemptEnded(endpoint);
      if (!endpoint.isLeaseLost) {
        applyResult(endpoint, delivery, result);
        const position = nextPosition++;
        const ended = { position, delivery, result, endedAt: clock.now() };
        const sent = { destination: settings, secretId: secret.id };
        recorder.push(settings.id, toOutcomeRecord({ ...ended, ...sent }, random));
        markReady(endpoint);
      }
      dispatch();
      if (isIdle()) notifyIdle();
    });
    markReady(endpoint);
    if (endpoint.mayHaveMore && endpoint.buffered <= endpoint.refillThreshold) onBufferLow();
  }

  function applyResult(
    endpoint: HeldEndpoint,
    delivery: ClaimedDelivery,
    { outcome, startedAt, timings }: AttemptResult,
  ): void {
    const { lane } = endpoint;
    lanes.move(endpoint, endpoint.applyResult(outcome.kind === "success", timings.total));
    observer?.onAttempt({
      outcome: outcomeClass(outcome),
      lane,
      totalMs: timings.total,
      latencyMs: delivery.attemptCount === 0 ? startedAt.getTime() - delivery.createdAt.getTime() : undefined,
    });
  }

  function dispatchLater(endpoint: HeldEndpoint, waitMs: number): void {
    if (rateLimitTimers.has(endpoint)) return;
    const resume = () => {
      rateLimitTimers.delete(endpoint);
      markReady(endpoint);
      dispatch();
    };
    rateLimitTimers.set(endpoint, setTimeout(resume, waitMs));
  }

  function onRecorded(batch: OutcomeRecord[], { hasLease, disabledEndpointIds }: RecordResult): void {
    if (!hasLease) {
      onLeaseLost();
      return;
    }
    const now = performance.now();
    for (const { deliveryId } of batch) {
      const endpoint = endpointByDelivery.get(deliveryId);
      endpointByDelivery.delete(deliveryId);
      endpoint?.claimedIds.delete(deliveryId);
      if (endpoint) endpoint.lastActiveAt = now;
    }
    for (const id of disabledEndpointIds) {
      const endpoint = held.get(id);
      if (endpoint) applySettings(endpoint, { ...endpoint.settings, isActive: false });
    }
    if (isIdle()) notifyIdle();
  }

  function applySettings(endpoint: HeldEndpoint, settings: Endpoint): void {
    endpoint.settings = settings;
    // Buffered deliveries may have been cancelled or held by the same change, so they are claimed again.
    clearBuffer(endpoint);
  }

  function clearBuffer(endpoint: HeldEndpoint): void {
    lanes.unmarkReady(endpoint);
    for (const id of endpoint.clearBuffer()) endpointByDelivery.delete(id);
  }

  const slowCheck = setInterval(() => {
    const startedBefore = performance.now() - slowAfterMs;
    for (const { endpoint, startedAt } of inFlight.values()) {
      if (startedAt > startedBefore) break;
      lanes.move(endpoint, "struggling");
    }
    dispatch();
  }, checkSlowEveryMs);

  const isIdle = () => inFlight.size === 0 && recorder.unrecorded === 0 && !otherStarts.isExceeded;

  function notifyIdle(): void {
    const listeners = idleListeners;
    idleListeners = [];
    for (const resolve of listeners) resolve();
    if (isFinishing) stopTimers();
  }

  function stopTimers(): void {
    clearInterval(slowCheck);
    for (const timer of rateLimitTimers.values()) clearTimeout(timer);
    rateLimitTimers.clear();
  }

  const whenIdle = () =>
    isIdle() ? Promise.resolve() : new Promise<void>((resolve) => idleListeners.push(resolve));

  return {
    enqueue(endpoint, deliveries) {
      for (const delivery of deliveries) {
        endpoint.addToBuffer(delivery);
        endpointByDelivery.set(delivery.id, endpoint);
        // A retry: the endpoint has failed before, even if not while this pump held it.
        if (delivery.attemptCount > 0 && endpoint.lane === "untried") lanes.move(endpoint, "struggling");
      }
      markReady(endpoint);
    },
    dispatch,
    applySettings,
    retryRateLimited() {
      for (const [endpoint, timer] of rateLimitTimers) {
        clearTimeout(timer);
        rateLimitTimers.delete(endpoint);
        markReady(endpoint);
      }
      dispatch();
    },
    whenIdle,
    async finish() {
      isFinishing = true;
      for (const endpoint of held.values()) clearBuffer(endpoint);
      await whenIdle();
      stopTimers();
    },
    abandon() {
      recorder.abandon();
      for (const endpoint of held.values()) {
        endpoint.isLeaseLost = true;
        clearBuffer(endpoint);
      }
      endpointByDelivery.clear();
      stopTimers();
      notifyIdle();
    },
    get endpoints() {
      return held.size;
    },
    get buffered() {
      let buffered = 0;
      for (const endpoint of held.values()) buffered += endpoint.buffered;
      return buffered;
    },
    get unrecorded() {
      return recorder.unrecorded;
    },
    get inFlight() {
      return lanes.inFlight();
    },
  };
}
