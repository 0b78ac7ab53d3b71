import { setTimeout as delay } from "node:timers/promises";
import type { Deps } from "@querybell/core";
import { z } from "zod";
import { eventsOfRuns } from "../webhooks/crash-evidence.ts";
import type { Arrival } from "../webhooks/receiver.ts";
import type { Seen } from "./load.ts";

const endsWithinMs = 90_000;
const Body = z.object({ data: z.object({ runId: z.string(), summary: z.string() }) });

/** Compares what was confirmed with what the database has and what arrived, once everything has ended. */
export async function findLosses(deps: Deps, seen: Seen, arrivals: readonly Arrival[]) {
  const unfinished = await waitForDeliveries(deps);
  const { rows: runs } = await deps.db.pool.query<{ id: string; status: string; summary: string }>(
    "SELECT id, status, summary FROM automation_runs WHERE id = ANY($1)",
    [[...seen.completed.keys()]],
  );
  const kept = new Map(runs.map((run) => [run.id, run]));
  const { rows: queryRuns } = await deps.db.pool.query<{ id: string; status: string }>(
    "SELECT id, status FROM query_runs WHERE id = ANY($1)",
    [[...seen.squared.keys()]],
  );
  const ids = [...seen.completed.keys()];
  const events = await eventsOfRuns(deps, ids);
  const bodies = new Map(arrivals.map(({ id, body }) => [id, Body.parse(JSON.parse(body ?? "")).data]));
  return {
    confirmed: ids.length,
    lostRuns: ids.filter((id) => {
      const run = kept.get(id);
      return run?.status !== "completed" || run.summary !== seen.completed.get(id);
    }).length,
    lostEvents: ids.filter((id, index) => {
      const body = bodies.get(events[index] ?? "");
      return body?.runId !== id || body.summary !== seen.completed.get(id);
    }).length,
    lostQueryRuns: seen.squared.size - queryRuns.length,
    unfinished: unfinished + queryRuns.filter(({ status }) => !/^(completed|failed)$/.test(status)).length,
    duplicates: arrivals.length - bodies.size,
  };
}

/** Returns how many deliveries have not succeeded in time. */
async function waitForDeliveries({ db }: Deps): Promise<number> {
  const deadline = performance.now() + endsWithinMs;
  for (;;) {
    const { rows } = await db.pool.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM webhook_deliveries WHERE state <> 'succeeded'`,
    );
    const count = rows[0]?.count ?? 0;
    if (count === 0 || performance.now() > deadline) return count;
    await delay(250);
  }
}
