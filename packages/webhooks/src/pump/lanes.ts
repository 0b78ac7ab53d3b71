import type { HeldEndpoint } from "./held-endpoint.ts";

/**
 * Endpoints are grouped into lanes by their results, and each lane has slots of its own for attempts in flight. So
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

export interface Lanes {
  /** Adds an endpoint to the end of its lane's queue, unless it is queued already. */
  markReady(endpoint: HeldEndpoint): void;
  unmarkReady(endpoint: HeldEndpoint): void;
  /** Takes the next ready endpoint, if the lane has a free slot. Round robin: one attempt for each endpoint in turn. */
  takeReady(lane: LaneName): HeldEndpoint | undefined;
  /** Whether the lane has a ready endpoint and a free slot. */
  hasReady(lane: LaneName): boolean;
  attemptStarted(endpoint: HeldEndpoint): void;
  attemptEnded(endpoint: HeldEndpoint): void;
  /** Moves an endpoint with its attempts in flight, which then occupy slots of the new lane. */
  move(endpoint: HeldEndpoint, lane: LaneName): void;
  inFlight(): Record<LaneName, number>;
}

export function createLanes(slots: Record<LaneName, number>): Lanes {
  const createLane = (name: LaneName): Lane => ({ slots: slots[name], inFlight: 0, ready: new Set() });
  const lanes = {
    healthy: createLane("healthy"),
    untried: createLane("untried"),
    struggling: createLane("struggling"),
  };

  const hasReady = (name: LaneName) => lanes[name].ready.size > 0 && lanes[name].inFlight < lanes[name].slots;

  return {
    markReady: (endpoint) => void lanes[endpoint.lane].ready.add(endpoint),
    unmarkReady: (endpoint) => void lanes[endpoint.lane].ready.delete(endpoint),
    takeReady(name) {
      const [endpoint] = hasReady(name) ? lanes[name].ready : [];
      if (endpoint) lanes[name].ready.delete(endpoint);
      return endpoint;
    },
    hasReady,
    attemptStarted(endpoint) {
      endpoint.inFlight += 1;
      lanes[endpoint.lane].inFlight += 1;
    },
    attemptEnded(endpoint) {
      endpoint.inFlight -= 1;
      lanes[endpoint.lane].inFlight -= 1;
    },
    move(endpoint, name) {
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
