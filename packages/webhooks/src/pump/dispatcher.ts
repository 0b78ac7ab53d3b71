import type { Attempt } from "../send/attempt.ts";
import { outcomeClass } from "../send/outcome.ts";
import type { ClaimedDelivery } from "./claim.ts";
import { type LoadedEndpoint, signingSecret } from "./endpoints.ts";
import type { HeldEndpoint } from "./held-endpoint.ts";
import { createLanes } from "./lanes.ts";
import type { PumpOptions, PumpStats } from "./options.ts";
import { type OutcomeRecord, toOutcomeRecord } from "./outcome-record.ts";
import type { Recorded } from "./record-outcomes.ts";
import { createRecorder } from "./recorder.ts";

interface DispatcherOptions extends PumpOptions {
  pumpId: string;
  held: ReadonlyMap<string, HeldEndpoint>;
  onLost: () => void;
  /** An endpoint runs low, and may have more due. */
  onHungry: () => void;
}

/** Sends what was claimed, within windows, rates and lanes, and sees to it that outcomes are written. */
export interface Dispatcher extends PumpStats {
  enqueue(endpoint: HeldEndpoint, deliveries: ClaimedDelivery[]): void;
  dispatch(): void;
  /** New settings apply from the next attempt on; what waits is claimed again. */
  changed(endpoint: HeldEndpoint, settings: LoadedEndpoint): void;
  /** Looks at once whether rate limits let more start, without waiting for their timers. */
  resume(): void;
  /** Resolves when nothing is in flight and every outcome is written. */
  quiet(): Promise<void>;
  /** Starts nothing more, and resolves when all is quiet. */
  finish(): Promise<void>;
  abandon(): void;
}

const slowAfterMs = 500;
const watchEveryMs = 250;
const defaultSlots = { healthy: 256, untried: 512, struggling: 512 };

export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { pool, pumpId, clock, sender, observer, onError, onLost, onHungry, held } = options;
  const { random = Math.random, slots = defaultSlots } = options;
  const lanes = createLanes(slots);
  const recorder = createRecorder({ pool, pumpId, onRecorded, onError });
  const inFlight = new Map<ClaimedDelivery, { endpoint: HeldEndpoint; startedAt: number }>();
  const owners = new Map<string, HeldEndpoint>();
  const pauses = new Map<HeldEndpoint, NodeJS.Timeout>();
  let waitingForQuiet: (() => void)[] = [];
  let position = 0;
  let finishing = false;

  function offer(endpoint: HeldEndpoint): void {
    if (endpoint.buffered > 0 && endpoint.hasRoom && endpoint.settings.active) lanes.offer(endpoint);
  }

  function dispatch(): void {
    for (let endpoint = lanes.next(); endpoint; endpoint = lanes.next()) {
      const pause = endpoint.pause(clock.now());
      if (pause > 0) resumeLater(endpoint, pause);
      else startNext(endpoint);
    }
  }

  function startNext(endpoint: HeldEndpoint): void {
    const { settings } = endpoint;
    const { customHeaders } = settings;
    const secret = signingSecret(settings, clock.now());
    const delivery = secret && endpoint.take();
    if (!delivery) return;
    endpoint.spend();
    lanes.started(endpoint);
    inFlight.set(delivery, { endpoint, startedAt: performance.now() });
    sender.send(secret.prepared, { id: delivery.eventId, body: delivery.body }).then((attempt) => {
      inFlight.delete(delivery);
      lanes.ended(endpoint);
      if (!endpoint.lost) {
        learn(endpoint, delivery, attempt);
        const endedAt = clock.now();
        const ended = { position: position++, delivery, attempt, endedAt, secret };
        recorder.push(settings.id, toOutcomeRecord({ ...ended, customHeaders, random }));
        offer(endpoint);
      }
      dispatch();
      if (isQuiet()) tellQuiet();
    });
    offer(endpoint);
    if (endpoint.mayHaveMore && endpoint.buffered <= endpoint.lowBuffer) onHungry();
  }

  function learn(
    endpoint: HeldEndpoint,
    delivery: ClaimedDelivery,
    { outcome, startedAt, timings }: Attempt,
  ): void {
    const { lane } = endpoint;
    lanes.move(endpoint, endpoint.learn(outcome.kind === "success", timings.total));
    observer?.attempted({
      outcome: outcomeClass(outcome),
      lane,
      totalMs: timings.total,
      latencyMs: delivery.attemptCount === 0 ? startedAt.getTime() - delivery.createdAt.getTime() : undefined,
    });
  }

  function resumeLater(endpoint: HeldEndpoint, pause: number): void {
    if (pauses.has(endpoint)) return;
    const resume = () => {
      pauses.delete(endpoint);
      offer(endpoint);
      dispatch();
    };
    pauses.set(endpoint, setTimeout(resume, pause));
  }

  function onRecorded(batch: OutcomeRecord[], { alive, disabled }: Recorded): void {
    if (!alive) {
      onLost();
      return;
    }
    const now = performance.now();
    for (const { deliveryId } of batch) {
      const endpoint = owners.get(deliveryId);
      owners.delete(deliveryId);
      endpoint?.known.delete(deliveryId);
      if (endpoint) endpoint.activeAt = now;
    }
    for (const id of disabled) {
      const endpoint = held.get(id);
      if (endpoint) changed(endpoint, { ...endpoint.settings, active: false });
    }
    if (isQuiet()) tellQuiet();
  }

  function changed(endpoint: HeldEndpoint, settings: LoadedEndpoint): void {
    endpoint.settings = settings;
    // What was claimed before may have been cancelled or held since: it is claimed again.
    drop(endpoint);
  }

  function drop(endpoint: HeldEndpoint): void {
    lanes.withdraw(endpoint);
    for (const id of endpoint.dropBuffer()) owners.delete(id);
  }

  /** An attempt that takes long makes its endpoint a slow one before it has ended. */
  const watch = setInterval(() => {
    const before = performance.now() - slowAfterMs;
    for (const { endpoint, startedAt } of inFlight.values()) {
      if (startedAt > before) break;
      lanes.move(endpoint, "struggling");
    }
    dispatch();
  }, watchEveryMs);

  const isQuiet = () => inFlight.size === 0 && recorder.waiting === 0;

  function tellQuiet(): void {
    const told = waitingForQuiet;
    waitingForQuiet = [];
    for (const resolve of told) resolve();
    if (finishing) end();
  }

  function end(): void {
    clearInterval(watch);
    for (const timer of pauses.values()) clearTimeout(timer);
    pauses.clear();
  }

  const quiet = () =>
    isQuiet() ? Promise.resolve() : new Promise<void>((resolve) => waitingForQuiet.push(resolve));

  return {
    enqueue(endpoint, deliveries) {
      for (const delivery of deliveries) {
        endpoint.add(delivery);
        owners.set(delivery.id, endpoint);
        // What is tried again has failed before.
        if (delivery.attemptCount > 0 && endpoint.lane === "untried") lanes.move(endpoint, "struggling");
      }
      offer(endpoint);
    },
    dispatch,
    changed,
    resume() {
      for (const [endpoint, timer] of pauses) {
        clearTimeout(timer);
        pauses.delete(endpoint);
        offer(endpoint);
      }
      dispatch();
    },
    quiet,
    async finish() {
      finishing = true;
      for (const endpoint of held.values()) drop(endpoint);
      await quiet();
      end();
    },
    abandon() {
      recorder.abandon();
      for (const endpoint of held.values()) {
        endpoint.lost = true;
        drop(endpoint);
      }
      owners.clear();
      end();
      tellQuiet();
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
      return recorder.waiting;
    },
    get inFlight() {
      return lanes.inFlight();
    },
  };
}
