import type { Tx } from "@querybell/db";
import { CreateAutomation } from "@querybell/domain";
import { insertAutomationRun } from "../automation-runs/insert-automation-run.ts";
import { insertAutomation } from "../automations/create-automation.ts";
import { lockAutomation } from "../automations/find-automation.ts";
import type { Deps } from "../deps.ts";
import type { DemoOwner } from "./demo-owner.ts";

const titles = ["Revenue by month", "Best sellers by country"];

/** The demo's automation, and what this start did with it. */
export interface DemoAutomation {
  id: string;
  state: "triggered" | "paused" | "busy";
}

/**
 * An automation on the sample shop, made once: what somebody deletes stays deleted. Each start triggers a run,
 * which a worker takes as soon as there is one, unless somebody has paused it or it is busy.
 */
export async function seedAutomation(
  deps: { tx: Tx } & Deps,
  owner: DemoOwner,
): Promise<DemoAutomation | undefined> {
  const { tx } = deps;
  const oldest = await tx.automation.findFirst({
    where: { organizationId: owner.organizationId },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
  });
  if (oldest?.deletedAt) return undefined;
  const id = oldest?.id ?? (await makeAutomation(deps, owner));
  if (id === undefined) return undefined;
  const automation = await lockAutomation(tx, owner, id);
  const start = { triggerId: `user:${owner.userId}`, scheduledFor: null };
  if (!automation.enabled) return { id, state: "paused" };
  const { kind } = await insertAutomationRun(deps, automation, start);
  return { id, state: kind === "made" ? "triggered" : "busy" };
}

async function makeAutomation(deps: { tx: Tx } & Deps, owner: DemoOwner): Promise<string | undefined> {
  const found = await deps.tx.queryReference.findMany({
    where: { organizationId: owner.organizationId, deletedAt: null, title: { in: titles } },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
  });
  if (found.length === 0) return undefined;
  const content = CreateAutomation.parse({
    name: "The shop this morning",
    instruction:
      "Say what the shop took in over the last twelve months and what sold best, and what has changed since the last time.",
    references: found.map(({ shortId }) => ({ shortId })),
    schedule: { cron: "0 9 * * *", timeZone: "UTC" },
  });
  return (await insertAutomation(deps, owner, content)).id;
}
