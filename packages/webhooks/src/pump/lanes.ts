import type { HeldEndpoint } from "./held-endpoint.ts";

/**
 * Endpoints that fail or are slow have slots of their own, so they cannot take those of the others. So have those
 * of which nothing is known yet: all of them may turn out to hang in the same moment.
 */
export type LaneName = "healthy" | "untried" | "struggling";

interface Lane {
  slots: number;
  inFlight: number;
  /** Endpoints that could start an attempt, in the order of their turns. */
  ready: Set<HeldEndpoint>;
}

export interface Lanes {
  /** Puts an endpoint in line, if it is not there yet. */
  offer(endpoint: HeldEndpoint): void;
  withdraw(endpoint: HeldEndpoint): void;
  /** The next endpoint with a free slot in its lane. Endpoints take turns, one attempt each. */
  next(): HeldEndpoint | undefined;
  started(endpoint: HeldEndpoint): void;
  ended(endpoint: HeldEndpoint): void;
  /** An endpoint takes what it has in flight along into its new lane. */
  move(endpoint: HeldEndpoint, lane: LaneName): void;
  inFlight(): Record<LaneName, number>;
}

export function createLanes(slots: Record<LaneName, number>): Lanes {
  const laneOf = (name: LaneName): Lane => ({ slots: slots[name], inFlight: 0, ready: new Set() });
  const lanes = { healthy: laneOf("healthy"), untried: laneOf("untried"), struggling: laneOf("struggling") };

  function nextIn(lane: Lane): HeldEndpoint | undefined {
    if (lane.inFlight >= lane.slots) return undefined;
    for (const endpoint of lane.ready) {
      lane.ready.delete(endpoint);
      return endpoint;
    }
    return undefined;
  }

  return {
    offer: (endpoint) => void lanes[endpoint.lane].ready.add(endpoint),
    withdraw: (endpoint) => void lanes[endpoint.lane].ready.delete(endpoint),
    next: () => nextIn(lanes.healthy) ?? nextIn(lanes.untried) ?? nextIn(lanes.struggling),
    started(endpoint) {
      endpoint.inFlight += 1;
      lanes[endpoint.lane].inFlight += 1;
    },
    ended(endpoint) {
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
