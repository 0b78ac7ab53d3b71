import type { Pool } from "@querybell/db";
import type { Dispatcher } from "./dispatcher.ts";
import {
  findChangedEndpoints,
  readEndpointSettings,
  type SettingsRow,
  toEndpointSettings,
} from "./endpoint-settings.ts";
import { HeldEndpoint } from "./held-endpoint.ts";
import type { LaneName } from "./lanes.ts";
import { acquireEndpoints, releaseEndpoints } from "./leases.ts";
import type { PumpOptions } from "./pump.ts";

interface LeaseKeeperOptions extends Pick<PumpOptions, "pool" | "clock" | "guard" | "sealer" | "onError"> {
  pumpId: string;
  held: Map<string, HeldEndpoint>;
  dispatcher: Pick<Dispatcher, "applySettings">;
}

/** Acquires and releases the leases of endpoints, and keeps the settings of those that it holds up to date. */
interface LeaseKeeper {
  /** Which of these to acquire next: a few, those that were healthy first. */
  chooseNext(endpointIds: ReadonlySet<string>): string[];
  /**
   * Acquires those that no pump holds and reloads the settings of those that this session holds already. Returns how
   * many it acquired.
   */
  acquire(endpointIds: string[]): Promise<number>;
  /** Applies changed settings whose wake-up was missed or has not arrived yet. */
  refresh(): Promise<void>;
  /**
   * Releases endpoints without work. An emitter that read the lease just before announces its event to no pump; the
   * next sweep finds that endpoint.
   */
  releaseIdle(): Promise<void>;
}

/**
 * How many endpoints are acquired at once, including unsealing their secrets. Claims come in between, so that healthy
 * endpoints do not wait for all of them, and sending for the first starts before the last is acquired.
 */
const acquiredAtOnce = 16;
/** The most endpoints of one session. Each claim looks at all of them; further ones are left to other pumps. */
const maxHeld = 2_000;
/** Lanes are remembered for ten times as many endpoints as can be held: a few bytes each. */
const maxRememberedLanes = 20_000;
/**
 * An endpoint is held this long after its last delivery: one that is acquired again waits for a commit and two reads
 * before its first attempt.
 */
const idleBeforeReleaseMs = 10_000;
/** The same while more than half of the places are taken, so that endpoints without work leave theirs to others. */
const idleBeforeReleaseWhenCrowdedMs = 1_000;

export function createLeaseKeeper(options: LeaseKeeperOptions): LeaseKeeper {
  const { pool, pumpId, clock, onError, held, dispatcher } = options;
  /** The last lane of endpoints that were released, the longest ago first. */
  const lastLanes = new Map<string, LaneName>();

  function applyRow(row: SettingsRow): void {
    const endpoint = held.get(row.id);
    try {
      const settings = toEndpointSettings(row, options);
      if (endpoint) dispatcher.applySettings(endpoint, settings);
      else held.set(row.id, new HeldEndpoint(settings, { clock, lane: lastLanes.get(row.id) ?? "untried" }));
    } catch (error) {
      // For example, this process lacks the sealing key. The deliveries stay due, for a worker that has it. If the
      // endpoint is held, attempts in flight continue, and then it is released like every inactive one.
      onError(error);
      if (endpoint) {
        dispatcher.applySettings(endpoint, { ...endpoint.settings, revision: row.revision, isActive: false });
      }
    }
  }

  async function release(endpointIds: string[]): Promise<void> {
    for (const id of endpointIds) {
      rememberLane(id);
      held.delete(id);
    }
    await releaseEndpoints(pool, pumpId, endpointIds);
  }

  /** An endpoint that is acquired again after a pause starts in its last lane instead of `untried`. */
  function rememberLane(id: string): void {
    const endpoint = held.get(id);
    if (!endpoint) return;
    lastLanes.delete(id);
    lastLanes.set(id, endpoint.lane);
    const [oldest] = lastLanes.keys();
    if (lastLanes.size > maxRememberedLanes && oldest) lastLanes.delete(oldest);
  }

  const wasHealthy = (id: string) => (held.get(id)?.lane ?? lastLanes.get(id)) === "healthy";

  return {
    chooseNext(endpointIds) {
      const { healthy = [], others = [] } = Object.groupBy(endpointIds, (id) =>
        wasHealthy(id) ? "healthy" : "others",
      );
      return [...healthy, ...others].slice(0, acquiredAtOnce);
    },

    async acquire(endpointIds) {
      const alreadyHeld = endpointIds.filter((id) => held.has(id));
      const others = endpointIds.filter((id) => !held.has(id)).slice(0, maxHeld - held.size);
      const acquired = others.length > 0 ? await acquireEndpoints(pool, pumpId, others) : [];
      const toRead = [...alreadyHeld, ...acquired];
      const rows = toRead.length > 0 ? await readEndpointSettings(pool, pumpId, toRead) : [];
      for (const row of rows) applyRow(row);
      const unreadable = acquired.filter((id) => !held.has(id));
      if (unreadable.length > 0) await release(unreadable);
      return acquired.length - unreadable.length;
    },

    async refresh() {
      if (held.size === 0) return;
      const known = [...held.values()].map(({ settings }) => settings);
      const changed = await findChangedEndpoints(pool, pumpId, known);
      const rows = changed.length > 0 ? await readEndpointSettings(pool, pumpId, changed) : [];
      for (const row of rows) if (held.has(row.id)) applyRow(row);
    },

    async releaseIdle() {
      const isCrowded = held.size > maxHeld / 2;
      const maxIdleMs = isCrowded ? idleBeforeReleaseWhenCrowdedMs : idleBeforeReleaseMs;
      const activeBefore = performance.now() - maxIdleMs;
      const idleIds = [...held.values()]
        .filter(({ claimedIds, lastActiveAt, settings }) => {
          const isIdle = lastActiveAt < activeBefore || !settings.isActive;
          return claimedIds.size === 0 && isIdle;
        })
        .map(({ settings }) => settings.id);
      if (idleIds.length > 0) await release(idleIds);
    },
  };
}

interface PendingEndpoint {
  id: string;
  /** Enabled, in an organization whose webhooks are on. */
  isActive: boolean;
  /** Active, has a delivery due, and no pump holds it. */
  canBeAcquired: boolean;
}

/**
 * Lists every endpoint that has pending deliveries. A loose index scan: it jumps from endpoint to endpoint in the
 * index, so it takes one step for each such endpoint, however long the queues are.
 */
export async function listPendingEndpoints(pool: Pool): Promise<PendingEndpoint[]> {
  const { rows } = await pool.query<PendingEndpoint>({
    name: "list_pending_webhook_endpoints",
    text: `
      WITH RECURSIVE pending AS (
        (SELECT endpoint_id, next_attempt_at FROM webhook_deliveries WHERE state = 'pending'
         ORDER BY endpoint_id, next_attempt_at LIMIT 1)
        UNION ALL
        SELECT d.endpoint_id, d.next_attempt_at FROM pending p CROSS JOIN LATERAL (
          SELECT endpoint_id, next_attempt_at FROM webhook_deliveries
          WHERE state = 'pending' AND endpoint_id > p.endpoint_id
          ORDER BY endpoint_id, next_attempt_at LIMIT 1) d
      )
      SELECT e.id, a.is_active AS "isActive",
        a.is_active AND e.lease_owner IS NULL AND p.next_attempt_at <= querybell_now() AS "canBeAcquired"
      FROM pending p JOIN webhook_endpoints e ON e.id = p.endpoint_id
      JOIN organizations o ON o.id = e.organization_id
      CROSS JOIN LATERAL (SELECT e.state = 'enabled' AND o.webhooks_enabled AS is_active) a
      ORDER BY p.next_attempt_at`,
  });
  return rows;
}
