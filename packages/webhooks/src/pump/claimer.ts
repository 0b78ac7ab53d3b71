import type { Pool } from "@querybell/db";
import { type ClaimedDelivery, claimDueDeliveries } from "../deliveries/claim-due-deliveries.ts";
import { cancelForbiddenDeliveries } from "../deliveries/subscriptions.ts";
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
interface Claimer {
  /**
   * Claims for endpoints whose buffer is low: those that may have more, and now and then all of them. Of the endpoints
   * outside the healthy lane only a few at a time, so that healthy ones never wait for a large claim.
   */
  claim(): Promise<void>;
  /** Claims for all endpoints whose buffer is low. */
  claimForAll(): Promise<void>;
  /** When to claim next, if nothing is announced before. */
  nextClaimInMs(): number;
  /** The least time until the next claim. */
  readonly claimGapMs: number;
  readonly claimedCount: number;
}

/**
 * The minimum time between two claims. A later claim finds more deliveries at about the same cost, which pays
 * off while many arrive. After a claim that found few, the next one follows at once.
 */
const claimGapMs = { afterFew: 1, afterMany: 8 };
const many = 4;
/** How many untried and struggling endpoints that may have more are claimed for at once, and how often. */
const othersAtOnce = 16;
const othersGapMs = 8;
/** How often all held endpoints are polled: the most that a retry, or an event whose announcement is lost, is late. */
const pollEveryMs = 50;
/** Nothing is held: the next claim follows a wake-up. */
const noEndpointsMs = 60_000;

/** The most buffered deliveries of all endpoints together, which limits the memory for their bodies. */
const maxBuffered = 8_192;
/** Each endpoint may claim at least this many, so that 2,000 endpoints share `maxBuffered` and none starves. */
const minShare = 4;
/** Above this many unrecorded outcomes, the database is the bottleneck: claiming pauses until it has caught up. */
const maxUnrecorded = 4_096;

const isHealthy = ({ lane }: HeldEndpoint) => lane === "healthy";
const isOtherWithMore = (endpoint: HeldEndpoint) => !isHealthy(endpoint) && endpoint.mayHaveMore;

export function createClaimer(options: ClaimerOptions): Claimer {
  const { pool, pumpId, held, dispatcher, refreshSettings, signal } = options;
  let lastPollAt = Number.NEGATIVE_INFINITY;
  let lastOthersAt = Number.NEGATIVE_INFINITY;
  /** How many deliveries of healthy endpoints the last claim found. */
  let lastCount = 0;
  let claimedCount = 0;

  const nextPollInMs = () => lastPollAt + pollEveryMs - performance.now();
  const nextOthersInMs = () => lastOthersAt + othersGapMs - performance.now();

  /** Distributes the free buffer among the endpoints. Fixed before the query, since buffer targets change meanwhile. */
  function computeLimits(endpoints: HeldEndpoint[]): Map<HeldEndpoint, number> {
    const share = Math.max(minShare, Math.floor((maxBuffered - dispatcher.buffered) / endpoints.length));
    return new Map(
      endpoints.map((endpoint) => {
        const isPolled = !isHealthy(endpoint) && !endpoint.mayHaveMore;
        // Retries of many endpoints fall due together. One delivery shows which of them have more.
        return [endpoint, isPolled ? 1 : Math.min(share, endpoint.bufferTarget)];
      }),
    );
  }

  async function readDue(limits: Map<HeldEndpoint, number>): Promise<ClaimedDelivery[]> {
    return claimDueDeliveries(pool, {
      pumpId,
      limits: [...limits].map(([{ settings }, limit]) => ({ endpointId: settings.id, limit })),
      excludedIds: [...limits.keys()].flatMap(({ claimedIds }) => [...claimedIds]),
    });
  }

  function enqueue(limits: Map<HeldEndpoint, number>, deliveries: ClaimedDelivery[]): void {
    const byEndpoint = Map.groupBy(deliveries, ({ endpointId }) => endpointId);
    lastCount = 0;
    for (const [endpoint, limit] of limits) {
      if (!endpoint.settings.isActive) continue;
      const claimed = byEndpoint.get(endpoint.settings.id) ?? [];
      const due = claimed.filter(({ isAllowed }) => isAllowed);
      endpoint.mayHaveMore = claimed.length === limit;
      endpoint.refillThreshold = Math.floor(limit / 3);
      endpoint.lastClaimAt = performance.now();
      if (isHealthy(endpoint)) lastCount += due.length;
      dispatcher.enqueue(endpoint, due);
    }
    dispatcher.dispatch();
  }

  async function claimFor(endpoints: HeldEndpoint[]): Promise<void> {
    if (signal.aborted || endpoints.length === 0 || dispatcher.unrecorded > maxUnrecorded) return;
    const limits = computeLimits(endpoints);
    const announced = new Map(endpoints.map((endpoint) => [endpoint, endpoint.announcements]));
    const deliveries = await readDue(limits);
    if (signal.aborted) return;
    claimedCount += deliveries.length;
    // A delivery claimed after a change of settings must not be sent with the old ones.
    const isStale = ({ endpointId, endpointRevision }: ClaimedDelivery) =>
      held.get(endpointId)?.settings.revision !== endpointRevision;
    if (deliveries.some(isStale)) await refreshSettings();
    const forbidden = deliveries.filter(({ isAllowed }) => !isAllowed).map(({ id }) => id);
    if (forbidden.length > 0) await cancelForbiddenDeliveries(pool, pumpId, forbidden);
    if (signal.aborted) return;
    enqueue(limits, deliveries);
    // Announced while the statement ran, so perhaps committed after its snapshot.
    for (const [endpoint, before] of announced) endpoint.mayHaveMore ||= endpoint.announcements > before;
  }

  const withLowBuffer = () => [...held.values()].filter(({ needsRefill }) => needsRefill);

  /** The endpoints that have waited longest. None if the last ones were claimed for just now. */
  function takeOthers(endpoints: HeldEndpoint[]): HeldEndpoint[] {
    if (endpoints.length === 0 || nextOthersInMs() > 0) return [];
    lastOthersAt = performance.now();
    return endpoints.toSorted((a, b) => a.lastClaimAt - b.lastClaimAt).slice(0, othersAtOnce);
  }

  async function claimForAll(): Promise<void> {
    lastPollAt = performance.now();
    await claimFor(withLowBuffer());
  }

  async function claim(): Promise<void> {
    const isPoll = nextPollInMs() <= 0;
    const low = withLowBuffer();
    const others = takeOthers(low.filter(isOtherWithMore));
    const rest = low.filter((endpoint) => !isOtherWithMore(endpoint) && (isPoll || endpoint.mayHaveMore));
    if (isPoll) lastPollAt = performance.now();
    await claimFor([...rest, ...others]);
  }

  return {
    claim,
    claimForAll,

    get claimGapMs() {
      return lastCount < many ? claimGapMs.afterFew : claimGapMs.afterMany;
    },

    nextClaimInMs() {
      if (held.size === 0) return noEndpointsMs;
      const low = withLowBuffer();
      if (low.some((endpoint) => isHealthy(endpoint) && endpoint.mayHaveMore)) return 0;
      const othersInMs = low.some(isOtherWithMore) ? nextOthersInMs() : Number.POSITIVE_INFINITY;
      return Math.max(0, Math.min(othersInMs, nextPollInMs()));
    },

    get claimedCount() {
      return claimedCount;
    },
  };
}
