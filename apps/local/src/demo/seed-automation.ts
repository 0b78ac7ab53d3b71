import type { Deps } from "@querybell/core";
import { insertAutomation, insertAutomationRun, nextRunAt } from "@querybell/core/automations";
import { triggerOf } from "@querybell/core/runs";
import type { Tx } from "@querybell/db";
import { type Caller, CreateAutomation } from "@querybell/domain";
import type { DemoOwner } from "./demo-key.ts";

const titles = ["Orders of the last seven days", "Revenue by month", "Best sellers by country"];

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
    where: { organizationId: owner.organizationId, deletedAt: null, title: { in: titles } },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  if (found.length === 0) return undefined;
  const content = CreateAutomation.parse({
    name: "The shop this morning",
    instruction:
      "Say how many orders came in, what the shop took in over the last twelve months and what sold best, and what has changed since the last time.",
    references: found.map(({ shortId }) => ({ shortId })),
    schedule: { cron: "0 9 * * *", timeZone: "UTC" },
    subscribers: [{ userId: owner.userId, inApp: true, byMail: false, onFailure: true, onSummary: true }],
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
