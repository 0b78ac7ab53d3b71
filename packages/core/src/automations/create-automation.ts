import { Prisma, type Tx } from "@querybell/db";
import { type Automation, type Caller, type CreateAutomation, newId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { type AutomationRow, toAutomation, toBudgetColumns, withContent } from "./automation-row.ts";
import { checkAgent } from "./check-agent.ts";
import { checkReferences } from "./check-references.ts";
import { checkSubscribers } from "./check-subscribers.ts";
import { nextRunAt } from "./next-run-at.ts";

export async function createAutomation(
  deps: Deps,
  caller: Caller,
  input: CreateAutomation,
): Promise<Automation> {
  await checkAgent(deps, caller, input.agent);
  return deps.db.transaction(async (tx) =>
    toAutomation(await insertAutomation({ ...deps, tx }, caller, input)),
  );
}

export async function insertAutomation(
  deps: { tx: Tx } & Pick<Deps, "clock">,
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
  { references, subscribers, schedule, budget, ...content }: CreateAutomation,
): Promise<AutomationRow> {
  const { tx, clock } = deps;
  const now = clock.now();
  return tx.automation.create({
    data: {
      id: newId(clock),
      organizationId,
      ...content,
      ...toBudgetColumns(budget),
      schedule: schedule ?? Prisma.DbNull,
      nextRunAt: nextRunAt({ ...content, schedule }, now),
      createdBy: userId,
      createdAt: now,
      updatedAt: now,
      references: { create: await checkReferences(deps, { organizationId }, references) },
      subscribers: { create: await checkSubscribers(tx, { organizationId }, subscribers) },
    },
    include: withContent,
  });
}
