import { type ClaimedDelivery, claimDueDeliveries } from "../deliveries/claim-due-deliveries.ts";
import type { Pool } from "../pool.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { HeldEndpoint } from "./held-endpoint.ts";

interface ClaimerOptions {
  pool: Pool;
  pumpId: string;
  held: ReadonlyMap<string, HeldEndpoint>;
  dispatcher: Pick<Dispatcher, "buffered" | "unrecorded" | "enqueue" | "dispatch">;
  /** Reloads the settings of held endpoints that changed. */
  refreshSettings: () => Promise<void>;
  /** Aborted when the session ends: nothing may be enqueued after that. */
  signal: AbortSignal;
}

/** Fills the buffers of held endpoints with due deliveries. */
export interface Claimer {
  /** Claims for the endpoints whose buffer is low. */
  claim(): Promise<void>;
  /** When to claim next. */
  nextClaimInMs(): number;
  readonly claimedCount: number;
}

/**
 * The least time between two claims. Sending a millisecond later costs nothing, and a claim that waited finds more
 * deliveries for about the same price.
 */
export const minClaimGapMs = 8;
/**
 * How often held endpoints without work are polled, which is the latency of an event that gets no wake-up: four times
 * what a claim takes, so that polling costs a fifth of one connection, but within these bounds. The upper one matters
 * on a busy machine, where each claim takes long and a long pause would leave the pump idle beside a full queue.
 */
const pollMs = { least: 10, most: 50 };
/** Nothing is held: the next claim follows a wake-up. */
const noEndpointsMs = 60_000;

/** The most buffered deliveries of all endpoints together, which limits the memory for their bodies. */
const maxBuffered = 8_192;
/** Each endpoint may claim at least this many, so that 2,000 endpoints share `maxBuffered` and none starves. */
const minShare = 4;
/** Above this many unrecorded outcomes, the database is the bottleneck: claiming pauses until it has caught up. */
const maxUnrecorded = 4_096;

export function createClaimer(options: ClaimerOptions): Claimer {
  const { pool, pumpId, held, dispatcher, refreshSettings, signal } = options;
  let lastClaimMs = 0;
  let claimedCount = 0;

  /** Distributes the free buffer among the endpoints. Fixed before the query, since buffer targets change meanwhile. */
  function computeLimits(endpoints: HeldEndpoint[]): Map<HeldEndpoint, number> {
    const share = Math.max(minShare, Math.floor((maxBuffered - dispatcher.buffered) / endpoints.length));
    return new Map(endpoints.map((endpoint) => [endpoint, Math.min(share, endpoint.bufferTarget)]));
  }

  async function readDue(limits: Map<HeldEndpoint, number>): Promise<ClaimedDelivery[]> {
    const startedAt = performance.now();
    const deliveries = await claimDueDeliveries(pool, {
      pumpId,
      limits: [...limits].map(([{ settings }, limit]) => ({ endpointId: settings.id, limit })),
      excludedIds: [...limits.keys()].flatMap(({ claimedIds }) => [...claimedIds]),
    });
    lastClaimMs = performance.now() - startedAt;
    return deliveries;
  }

  function enqueue(limits: Map<HeldEndpoint, number>, deliveries: ClaimedDelivery[]): void {
    const byEndpoint = Map.groupBy(deliveries, ({ endpointId }) => endpointId);
    for (const [endpoint, limit] of limits) {
      if (!endpoint.settings.isActive) continue;
      const due = byEndpoint.get(endpoint.settings.id) ?? [];
      endpoint.mayHaveMore = due.length === limit;
      endpoint.refillThreshold = Math.floor(limit / 3);
      dispatcher.enqueue(endpoint, due);
    }
    dispatcher.dispatch();
  }

  return {
    async claim() {
      const low = [...held.values()].filter(({ needsRefill }) => needsRefill);
      if (signal.aborted || low.length === 0 || dispatcher.unrecorded > maxUnrecorded) return;
      const limits = computeLimits(low);
      const deliveries = await readDue(limits);
      if (signal.aborted) return;
      claimedCount += deliveries.length;
      // A delivery claimed after a change of settings must not be sent with the old ones.
      const isStale = ({ endpointId, endpointRevision }: ClaimedDelivery) =>
        held.get(endpointId)?.settings.revision !== endpointRevision;
      if (deliveries.some(isStale)) await refreshSettings();
      if (!signal.aborted) enqueue(limits, deliveries);
    },

    nextClaimInMs() {
      if (held.size === 0) return noEndpointsMs;
      const hasMore = [...held.values()].some((endpoint) => endpoint.mayHaveMore && endpoint.needsRefill);
      return hasMore ? minClaimGapMs : Math.min(Math.max(pollMs.least, 4 * lastClaimMs), pollMs.most);
    },

    get claimedCount() {
      return claimedCount;
    },
  };
}
