import type { Clock } from "@querybell/domain";
import { createTurnBudget } from "../turn-budget.ts";
import type { HeldEndpoint } from "./held-endpoint.ts";

/**
 * Endpoints are grouped into lanes by their results, and each lane has its slots for attempts in flight. So
 * endpoints that fail or hang cannot take the slots of healthy ones, and neither can untried ones, of which many may
 * turn out to hang at the same moment.
 */
export type LaneName = "healthy" | "untried" | "struggling";

interface Lane {
  slots: number;
  inFlight: number;
  /** Endpoints that could start an attempt, the one that waits longest first. */
  ready: Set<HeldEndpoint>;
}

export type Lanes = ReturnType<typeof createLanes>;

export function createLanes(slots: Record<LaneName, number>) {
  const createLane = (name: LaneName): Lane => ({ slots: slots[name], inFlight: 0, ready: new Set() });
  const lanes = {
    healthy: createLane("healthy"),
    untried: createLane("untried"),
    struggling: createLane("struggling"),
  };

  /** Whether the lane has a ready endpoint and a free slot. */
  const hasReady = (name: LaneName): boolean =>
    lanes[name].ready.size > 0 && lanes[name].inFlight < lanes[name].slots;

  return {
    /** Adds an endpoint to the end of its lane's queue, unless it is queued already. */
    markReady: (endpoint: HeldEndpoint) => void lanes[endpoint.lane].ready.add(endpoint),
    unmarkReady: (endpoint: HeldEndpoint) => void lanes[endpoint.lane].ready.delete(endpoint),
    /** Takes the next ready endpoint, if the lane has a free slot. Round robin: one attempt for each endpoint in turn. */
    takeReady(name: LaneName): HeldEndpoint | undefined {
      const [endpoint] = hasReady(name) ? lanes[name].ready : [];
      if (endpoint) lanes[name].ready.delete(endpoint);
      return endpoint;
    },
    hasReady,
    attemptStarted(endpoint: HeldEndpoint): void {
      endpoint.inFlight += 1;
      lanes[endpoint.lane].inFlight += 1;
    },
    attemptEnded(endpoint: HeldEndpoint): void {
      endpoint.inFlight -= 1;
      lanes[endpoint.lane].inFlight -= 1;
    },
    /** Moves an endpoint with its attempts in flight, which then occupy slots of the new lane. */
    move(endpoint: HeldEndpoint, name: LaneName): void {
      if (endpoint.lane === name) return;
      const [from, to] = [lanes[endpoint.lane], lanes[name]];
      from.inFlight -= endpoint.inFlight;
      to.inFlight += endpoint.inFlight;
      if (from.ready.delete(endpoint)) to.ready.add(endpoint);
      endpoint.lane = name;
    },
    inFlight: () => ({
      healthy: lanes.healthy.inFlight,
      untried: lanes.untried.inFlight,
      struggling: lanes.struggling.inFlight,
    }),
  };
}

interface StarterOptions {
  clock: Clock;
  lanes: Lanes;
  /** Starts an endpoint's next attempt. False if it has none to start. */
  start: (endpoint: HeldEndpoint) => boolean;
  /** Called after starts that had to wait for another turn of the event loop. */
  onLaterStarts: () => void;
}

/** Attempts of these lanes often open a connection. In one turn of the event loop only a few start. */
const otherLanes = ["untried", "struggling"] as const;
const maxOtherStartsPerTurn = 2;

/** Starts attempts of ready endpoints in turn, within the limits of windows, rates and lanes. */
export function createStarter({ clock, lanes, start, onLaterStarts }: StarterOptions) {
  const rateLimitTimers = new Map<HeldEndpoint, NodeJS.Timeout>();
  const otherStarts = createTurnBudget(maxOtherStartsPerTurn, () => {
    startReady();
    onLaterStarts();
  });

  /** Queues an endpoint if it has a delivery and may have another attempt in flight. */
  function markReady(endpoint: HeldEndpoint): void {
    if (endpoint.buffered > 0 && endpoint.hasRoom && endpoint.settings.isActive) lanes.markReady(endpoint);
  }

  /** Starts as many attempts as the limits allow now. */
  function startReady(): void {
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

  function startWhenAllowed(endpoint: HeldEndpoint): void {
    const waitMs = endpoint.msUntilAllowed(clock.now());
    if (waitMs > 0) {
      if (!rateLimitTimers.has(endpoint)) rateLimitTimers.set(endpoint, setTimeout(retry, waitMs, endpoint));
    } else if (start(endpoint)) {
      endpoint.countAgainstRateLimit();
      markReady(endpoint);
    }
  }

  function retry(endpoint: HeldEndpoint): void {
    rateLimitTimers.delete(endpoint);
    markReady(endpoint);
    startReady();
  }

  function stop(): void {
    for (const timer of rateLimitTimers.values()) clearTimeout(timer);
    rateLimitTimers.clear();
  }

  return {
    markReady,
    startReady,
    /** Whether attempts wait for the next turn of the event loop. */
    get isWaiting(): boolean {
      return otherStarts.isExceeded;
    },
    /** Checks the rate limits now instead of when their timers end. */
    retryRateLimited(): void {
      const endpoints = [...rateLimitTimers.keys()];
      stop();
      for (const endpoint of endpoints) markReady(endpoint);
      startReady();
    },
    stop,
  };
}
