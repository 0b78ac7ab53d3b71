import type { Tx } from "@querybell/db";
import type { AutomationId, AutomationOverview, Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { type AutomationRow, withContent } from "./automation-row.ts";
import { readLatestRuns } from "./latest-runs.ts";
import { automationNotFound } from "./runs/insert-automation-run.ts";

type Scope = Pick<Caller, "organizationId">;

export async function getAutomation(
  deps: Deps,
  caller: Caller,
  { id }: AutomationId,
): Promise<AutomationOverview> {
  const row = await getAutomationRow(deps.db.prisma, caller, id);
  const toOverview = await readLatestRuns(deps, [row]);
  return toOverview(row);
}

/** Gets the automation and locks it: no other transaction starts or ends one of its runs until this one ends. */
export async function lockAutomation(tx: Tx, scope: Scope, id: string): Promise<AutomationRow> {
  await lockRow(tx, { table: "automations", key: { id }, organizationId: scope.organizationId });
  return getAutomationRow(tx, scope, id);
}

async function getAutomationRow(
  tx: Pick<Tx, "automation">,
  { organizationId }: Scope,
  id: string,
): Promise<AutomationRow> {
  const row = await tx.automation.findFirst({
    where: { id, organizationId, deletedAt: null },
    include: withContent,
  });
  if (!row) throw automationNotFound();
  return row;
}
