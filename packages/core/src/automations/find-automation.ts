import type { Tx } from "@querybell/db";
import { AppError, type AutomationId, type AutomationOverview, type Caller } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { type AutomationRow, withContent } from "./automation-row.ts";
import { readLatestRuns } from "./latest-runs.ts";

type Scope = Pick<Caller, "organizationId">;

export async function getAutomation(
  deps: Deps,
  caller: Caller,
  { id }: AutomationId,
): Promise<AutomationOverview> {
  const row = await find(deps.db.prisma, caller, id);
  const toOverview = await readLatestRuns(deps, [row]);
  return toOverview(row);
}

/** The automation, of which nobody else starts or ends a run until the transaction ends. */
export async function lockAutomation(tx: Tx, scope: Scope, id: string): Promise<AutomationRow> {
  await tx.$queryRaw`
    SELECT 1 FROM automations
    WHERE id = ${id}::uuid AND organization_id = ${scope.organizationId}::uuid FOR UPDATE`;
  return find(tx, scope, id);
}

/** The same of an automation that is known to be the caller's, through a run of it. */
export async function lockAutomationRow(tx: Tx, id: string): Promise<void> {
  await tx.$queryRaw`SELECT 1 FROM automations WHERE id = ${id}::uuid FOR UPDATE`;
}

async function find(
  tx: Pick<Tx, "automation">,
  { organizationId }: Scope,
  id: string,
): Promise<AutomationRow> {
  const row = await tx.automation.findFirst({
    where: { id, organizationId, deletedAt: null },
    include: withContent,
  });
  if (!row) throw new AppError("not_found", "There is no such automation in this organization.");
  return row;
}
