import { setTimeout as delay } from "node:timers/promises";
import type { Deps } from "@querybell/core";
import type { Arrival } from "./receiver.ts";

interface Stranded {
  /** Events whose delivery is not in a final state. */
  pending: Set<string>;
  /** Those of them that have arrived: their outcome is not recorded, so they may be sent again. */
  inFlight: Set<string>;
}

export interface Kill extends Stranded {
  at: number;
}

interface Final {
  eventId: string;
  endpointId: string;
  state: string;
  endedAt: number;
}

interface Evidence {
  /** The ids of the committed events; undefined if the emitter was killed before it reported them. */
  committed: (string | undefined)[];
  kills: Kill[];
  finals: Final[];
  arrivals: Arrival[];
  /** The endpoint at index n has the path `/n`. */
  endpoints: { endpointId: string }[];
}

const recoverWithinSeconds = 30;

export async function strandedAt({ db }: Deps, arrivals: Arrival[]): Promise<Stranded> {
  const { rows } = await persist(() =>
    db.pool.query<{ eventId: string }>(
      `SELECT event_id AS "eventId" FROM webhook_deliveries WHERE state = 'pending'`,
    ),
  );
  const arrived = new Set(arrivals.map(({ id }) => id));
  const pending = new Set(rows.map(({ eventId }) => eventId));
  return { pending, inFlight: new Set([...pending].filter((id) => arrived.has(id))) };
}

/** Waits until every delivery is in a final state, or until the timeout. */
export async function findFinals({ db }: Deps, { withinMs }: { withinMs: number }): Promise<Final[]> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const { rows } = await persist(() =>
      db.pool.query<Final>(`
        SELECT event_id AS "eventId", endpoint_id AS "endpointId", state,
          extract(epoch FROM state_changed_at)::float * 1000 AS "endedAt"
        FROM webhook_deliveries`),
    );
    const finals = rows.filter(({ state }) => state !== "pending");
    if (finals.length === rows.length || performance.now() > deadline) return finals;
    await delay(250);
  }
}

/** Retries, because connections of the pool may still be to the killed server. */
async function persist<T>(work: () => Promise<T>, attempts = 50): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (attempts === 1) throw error;
    await delay(100);
    return persist(work, attempts - 1);
  }
}

/** The events of the runs whose completion was confirmed; an empty string for a run without one. */
export async function eventsOfRuns({ db }: Deps, runIds: string[]): Promise<string[]> {
  const { rows } = await db.pool.query<{ id: string; cause: string }>(
    "SELECT id, dedupe_key AS cause FROM webhook_events WHERE dedupe_key = ANY($1)",
    [runIds.map((id) => `automation_run:${id}`)],
  );
  const byCause = new Map(rows.map(({ id, cause }) => [cause, id]));
  return runIds.map((id) => byCause.get(`automation_run:${id}`) ?? "");
}

export function verdict({ committed, kills, finals, arrivals, endpoints }: Evidence) {
  const paths = new Map(endpoints.map(({ endpointId }, index) => [endpointId, `/${index}`]));
  const arrivedAt = new Set(arrivals.map(({ id, path }) => `${id} ${path}`));
  const endedAt = new Map(finals.map((final) => [final.eventId, final.endedAt]));
  // Lost: an event whose commit was confirmed and that does not exist, or one that exists and never arrived.
  const forgotten = committed.filter((id) => id !== undefined && !endedAt.has(id)).length;
  const unsent = finals.filter(
    ({ eventId, endpointId }) => !arrivedAt.has(`${eventId} ${paths.get(endpointId)}`),
  ).length;
  const failed = finals.filter(({ state }) => state !== "succeeded").length;
  const duplicates = arrivals.length - new Set(arrivals.map(({ id }) => id)).size;
  const inFlight = kills.reduce((sum, kill) => sum + kill.inFlight.size, 0);
  // A delivery whose attempt ended before the kill and was recorded after it has not waited for a recovery: 0.
  const recoveries = kills.map(({ at, pending }) =>
    [...pending].reduce((longest, id) => Math.max(longest, (endedAt.get(id) ?? Number.NaN) - at), 0),
  );
  const recoverySeconds = Math.max(0, ...recoveries) / 1000;
  const lost = forgotten + unsent;

  const problems = [
    lost > 0 && `Lost: ${forgotten} committed events are gone or unfinished, ${unsent} never arrived.`,
    finals.length < committed.length &&
      `${finals.length} deliveries are in a final state instead of ${committed.length}.`,
    // Each kill can lose at most one answer.
    finals.length > committed.length + kills.length &&
      `${finals.length} deliveries are more than the ${committed.length} that were asked for.`,
    failed > 0 && `${failed} deliveries ended in another state than succeeded.`,
    duplicates > inFlight &&
      `${duplicates} duplicates are more than the ${inFlight} that were in flight at kills.`,
    !(recoverySeconds <= recoverWithinSeconds) && `Recovering took longer than ${recoverWithinSeconds} s.`,
  ].filter((problem) => problem !== false);
  return { lost, duplicates, inFlight, recoverySeconds, problems };
}
