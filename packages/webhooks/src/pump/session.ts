import { setTimeout as delay } from "node:timers/promises";
import { newId } from "@querybell/domain";
import { createAlarm } from "./alarm.ts";
import { type ClaimedDelivery, claimDue } from "./claim.ts";
import { createDispatcher, type Dispatcher } from "./dispatcher.ts";
import { type EndpointRow, loadEndpoint, readEndpoints } from "./endpoints.ts";
import { HeldEndpoint } from "./held-endpoint.ts";
import type { LaneName } from "./lanes.ts";
import { register, releaseEndpoints, takeEndpoints, unregister } from "./leases.ts";
import type { PumpOptions } from "./options.ts";
import { createTurns } from "./turn-taking.ts";

const maxHeld = 2_000;
const maxRemembered = 20_000;
const maxBuffered = 8_192;
const minShare = 4;
const maxUnrecorded = 4_096;
const claimGapMs = 8;
const pollMs = { least: 10, most: 50 };
const lingerMs = 1_000;
const lookAgainMs = 25;
const finishWithinMs = 14_000;

/** One life of a pump: from registering to its end, or until it has lost its lease. */
export interface Session {
  pumpId: string;
  dispatcher: Dispatcher;
  held: ReadonlyMap<string, HeldEndpoint>;
  /** Takes the endpoints if they are free, and looks again at those that it holds already. */
  attend(endpointIds: string[]): Promise<number>;
  /** Looks for changed settings of the endpoints that it holds. */
  refresh(): Promise<void>;
  /** Claims what is due at the held endpoints that have room for it. */
  claim(): Promise<void>;
  /** How many deliveries were claimed so far. */
  readonly claimed: number;
  readonly ended: boolean;
  /** Finishes what is in flight, writes it down, and frees the endpoints. */
  close(): Promise<void>;
  /** Forgets everything: nothing of it may be written any more. */
  abandon(): void;
}

export async function startSession(options: PumpOptions, onLost: (pumpId: string) => void): Promise<Session> {
  const { pool, clock, onError } = options;
  const pumpId = newId(clock);
  const held = new Map<string, HeldEndpoint>();
  const lanesBefore = new Map<string, LaneName>();
  const inTurn = createTurns();
  const alarm = createAlarm();
  const dispatcher = createDispatcher({
    ...options,
    pumpId,
    held,
    onLost: () => onLost(pumpId),
    onHungry: alarm.ring,
  });
  let ended = false;
  let claimMs = 0;
  let claimed = 0;
  await register(pool, pumpId);

  async function attend(endpointIds: string[]): Promise<number> {
    if (ended) return 0;
    const known = endpointIds.filter((id) => held.has(id));
    const others = endpointIds.filter((id) => !held.has(id)).slice(0, maxHeld - held.size);
    const taken = others.length > 0 ? await takeEndpoints(pool, pumpId, others) : [];
    const concerned = [...known, ...taken];
    const rows = concerned.length > 0 ? await readEndpoints(pool, pumpId, concerned) : [];
    for (const row of rows) adopt(row);
    const unreadable = taken.filter((id) => !held.has(id));
    if (unreadable.length > 0) await letGo(unreadable);
    alarm.ring();
    return taken.length - unreadable.length;
  }

  function adopt(row: EndpointRow): void {
    const endpoint = held.get(row.id);
    try {
      const settings = loadEndpoint(row, options);
      if (endpoint) dispatcher.changed(endpoint, settings);
      else
        held.set(row.id, new HeldEndpoint(settings, { clock, lane: lanesBefore.get(row.id) ?? "untried" }));
    } catch (error) {
      // A secret that cannot be opened, say. Its deliveries stay due, for a worker that can; what is in flight
      // ends, and then the endpoint is let go like every inactive one.
      onError(error);
      if (endpoint) {
        dispatcher.changed(endpoint, { ...endpoint.settings, revision: row.revision, active: false });
      }
    }
  }

  /** Applies settings that changed without a wake-up having told of it. */
  async function refresh(): Promise<void> {
    if (ended || held.size === 0) return;
    for (const row of await readEndpoints(pool, pumpId, [...held.keys()])) {
      const endpoint = held.get(row.id);
      const { revision, active } = endpoint?.settings ?? row;
      if (endpoint && (revision !== row.revision || active !== row.active)) adopt(row);
    }
  }

  async function claim(): Promise<void> {
    const wanting = [...held.values()].filter(wantsMore);
    if (ended || wanting.length === 0 || dispatcher.unrecorded > maxUnrecorded) return;
    const share = Math.max(minShare, Math.floor((maxBuffered - dispatcher.buffered) / wanting.length));
    // Decided now, for appetites grow while the database is asked.
    const rooms = new Map(wanting.map((endpoint) => [endpoint, Math.min(share, endpoint.appetite)]));
    const startedAt = performance.now();
    const deliveries = await claimDue(pool, {
      pumpId,
      wanted: [...rooms].map(([{ settings }, room]) => ({ endpointId: settings.id, room })),
      known: wanting.flatMap(({ known }) => [...known]),
    });
    claimMs = performance.now() - startedAt;
    if (ended) return;
    claimed += deliveries.length;
    const isStale = ({ endpointId, endpointRevision }: ClaimedDelivery) =>
      held.get(endpointId)?.settings.revision !== endpointRevision;
    // Nothing claimed after a change may go with the settings of before.
    if (deliveries.some(isStale)) await refresh();
    if (ended) return;
    const byEndpoint = Map.groupBy(deliveries, ({ endpointId }) => endpointId);
    for (const [endpoint, room] of rooms) {
      if (!endpoint.settings.active) continue;
      const due = byEndpoint.get(endpoint.settings.id) ?? [];
      endpoint.mayHaveMore = due.length === room;
      endpoint.lowBuffer = Math.floor(room / 3);
      dispatcher.enqueue(endpoint, due);
    }
    dispatcher.dispatch();
  }

  async function letGo(endpointIds: string[]): Promise<void> {
    for (const id of endpointIds) {
      rememberLane(id);
      held.delete(id);
    }
    await releaseEndpoints(pool, pumpId, endpointIds);
  }

  /** An endpoint that comes back after a pause is not a stranger. The longest gone are forgotten. */
  function rememberLane(id: string): void {
    const endpoint = held.get(id);
    if (!endpoint) return;
    lanesBefore.delete(id);
    lanesBefore.set(id, endpoint.lane);
    const [oldest] = lanesBefore.keys();
    if (lanesBefore.size > maxRemembered && oldest) lanesBefore.delete(oldest);
  }

  /** Frees what has been idle for a while. Somebody may have seen it attended and woken nobody: look again. */
  async function releaseIdle(): Promise<void> {
    const before = performance.now() - lingerMs;
    const idle = [...held.values()]
      .filter(({ known, activeAt, settings }) => known.size === 0 && (activeAt < before || !settings.active))
      .map(({ settings }) => settings.id);
    if (idle.length === 0) return;
    await letGo(idle);
    setTimeout(() => ended || inTurn(() => attend(idle)).catch(onError), lookAgainMs);
  }

  /**
   * Held endpoints are looked at every few milliseconds, so that emitting to them needs no wake-up: less often
   * where looking takes long, and soon enough all the same on a machine where everything does.
   */
  function nextClaimIn(): number {
    if (held.size === 0) return 60_000;
    const hungry = [...held.values()].some((endpoint) => endpoint.mayHaveMore && wantsMore(endpoint));
    return hungry ? claimGapMs : Math.min(Math.max(pollMs.least, 4 * claimMs), pollMs.most);
  }

  async function claimForever(): Promise<void> {
    while (!ended) {
      try {
        await inTurn(claim);
        await inTurn(releaseIdle);
      } catch (error) {
        onError(error);
        await alarm.wait(250);
      }
      await delay(claimGapMs);
      await alarm.wait(nextClaimIn() - claimGapMs);
    }
  }

  const claiming = claimForever();
  return {
    pumpId,
    dispatcher,
    held,
    attend: (endpointIds) => inTurn(() => attend(endpointIds)),
    refresh: () => inTurn(refresh),
    claim: () => inTurn(claim),
    get claimed() {
      return claimed;
    },
    get ended() {
      return ended;
    },
    async close() {
      ended = true;
      alarm.ring();
      const finished = dispatcher.finish();
      await claiming;
      // An attempt ends within its deadline; only a database that is gone can keep outcomes from being written.
      await Promise.race([finished, delay(finishWithinMs, undefined, { ref: false })]);
      dispatcher.abandon();
      await inTurn(() => unregister(pool, pumpId));
    },
    abandon() {
      ended = true;
      alarm.ring();
      dispatcher.abandon();
      held.clear();
    },
  };
}

const wantsMore = ({ settings, buffered, lowBuffer }: HeldEndpoint): boolean =>
  settings.active && buffered <= lowBuffer;
