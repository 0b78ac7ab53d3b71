import type { Deps } from "@querybell/core";
import {
  claimAutomationRun,
  executeAutomationRun,
  insertAutomation,
  insertAutomationRun,
  nextRunAt,
  stopAutomationRun,
  watchChat,
} from "@querybell/core/automations";
import { claimQueryRun, executeRun, triggerOf } from "@querybell/core/runs";
import { sampleAutomation, sampleAutomationTitles } from "@querybell/core/sample-shop";
import type { Tx } from "@querybell/db";
import type { Caller, Clock } from "@querybell/domain";
import type { DemoOwner } from "./demo-key.ts";

/** The demo's automation, and what this start did with it. */
export interface DemoAutomation {
  id: string;
  state: "triggered" | "paused" | "busy";
}

interface Seeded {
  id: string;
  hasRuns: boolean;
}

/** Creates the automation on the sample shop, once. If a user deletes it, it is not created again. */
export async function seedAutomation(
  deps: { tx: Tx } & Deps,
  owner: DemoOwner,
  now: Date,
): Promise<Seeded | undefined> {
  const { tx } = deps;
  const oldest = await tx.automation.findFirst({
    where: { organizationId: owner.organizationId },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
  if (oldest?.deletedAt) return undefined;
  const id = oldest?.id ?? (await makeAutomation(deps, owner, now));
  if (id === undefined) return undefined;
  return { id, hasRuns: (await tx.automationRun.count({ where: { automationId: id } })) > 0 };
}

async function makeAutomation(
  deps: { tx: Tx } & Deps,
  owner: DemoOwner,
  now: Date,
): Promise<string | undefined> {
  const found = await deps.tx.queryReference.findMany({
    where: { organizationId: owner.organizationId, deletedAt: null, title: { in: sampleAutomationTitles } },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  if (found.length === 0) return undefined;
  const content = sampleAutomation({
    shortIds: found.map(({ shortId }) => shortId),
    subscribers: [owner.userId],
    enabled: true,
  });
  const automation = await insertAutomation(deps, owner, content);
  // The clock of the seed may be in the past. Scheduled times until now are skipped.
  await deps.tx.automation.update({
    where: { id: automation.id },
    data: { nextRunAt: nextRunAt(automation, now) },
  });
  return automation.id;
}

/** Triggers a run at each start, unless the automation is paused or busy. A worker claims it once one is started. */
export async function triggerDemoAutomation(deps: Deps, caller: Caller, id: string): Promise<DemoAutomation> {
  const { organizationId } = caller;
  const run = { automationId: id, organizationId, triggerId: triggerOf(caller), scheduledFor: null };
  const { kind } = await insertAutomationRun(deps, run);
  return { id, state: kind === "created" ? "triggered" : kind };
}

const dayMs = 86_400_000;
const days = 6;
/** A user stopped the run of that day. */
const stoppedDay = 3;

/** A clock that starts at a time in the past. */
export function clockFrom(past: Date, { clock }: Pick<Deps, "clock">): Clock {
  const began = clock.now().getTime();
  return { now: () => new Date(past.getTime() + clock.now().getTime() - began) };
}

/**
 * Creates the runs that the demo's automation would have had on each of the last mornings. They are inserted, executed
 * and ended by the same code as all runs, with a clock in the past. Relative dates in the queries use that clock, so
 * each run finds other rows. Deliveries get the current time, because the database uses its own clock for them.
 */
export async function seedHistory(deps: Deps, caller: Caller, automationId: string): Promise<void> {
  const today = deps.clock.now().toISOString().slice(0, 10);
  const thisMorning = Date.parse(`${today}T09:00:00Z`);
  for (let ago = days; ago > 0; ago--) {
    const scheduledFor = new Date(thisMorning - ago * dayMs);
    const past = { ...deps, clock: clockFrom(scheduledFor, deps) };
    const runId = await insertRun(past, caller, { automationId, scheduledFor });
    if (runId === undefined) return;
    if (ago === stoppedDay) await stopAutomationRun(past, caller, { id: runId });
    else await executeWithQueries(past, caller);
  }
}

async function insertRun(
  deps: Deps,
  caller: Caller,
  { automationId, scheduledFor }: { automationId: string; scheduledFor: Date },
): Promise<string | undefined> {
  const { organizationId } = caller;
  const run = { automationId, organizationId, triggerId: "schedule", scheduledFor };
  const inserted = await insertAutomationRun(deps, run);
  return inserted.kind === "created" ? inserted.run.id : undefined;
}

// No worker runs yet and no other run is pending, so this claims the run that was just inserted.
const claim = {
  workerId: "demo history",
  excludedOrganizations: [],
  organizationCeiling: null,
  totalCeiling: null,
  afterOrganization: null,
};

/** Executes the pending run, and the query runs that it starts. */
async function executeWithQueries(deps: Deps, caller: Caller): Promise<void> {
  const run = await claimAutomationRun(deps, claim);
  if (!run) return;
  const ended = new AbortController();
  // An error ends the run as failed, and its chat shows the reason.
  const options = { signal: ended.signal, onError: () => {} };
  const executing = executeAutomationRun(deps, run, options).finally(() => ended.abort());
  for await (const { steps } of watchChat(deps, caller, { id: run.id, signal: ended.signal })) {
    if (!steps.some(({ queryRunId, state }) => queryRunId && state === "running")) continue;
    const lease = await claimQueryRun(deps, claim);
    if (lease) await executeRun(deps, lease, options);
  }
  await executing;
}
