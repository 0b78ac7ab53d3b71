import type { Prisma } from "@querybell/db";
import {
  AppError,
  type AutomationRun,
  type AutomationRunId,
  type Caller,
  type ChatShortId,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { toAutomationRun } from "./automation-run-row.ts";

type Scope = Pick<Caller, "organizationId">;

export async function getAutomationRun(
  deps: Deps,
  caller: Scope,
  { id }: AutomationRunId,
): Promise<AutomationRun> {
  return toAutomationRun(deps, await findAutomationRun(deps, caller, { id }));
}

/** What the permalink of a chat opens. */
export async function findChat(deps: Deps, caller: Scope, { shortId }: ChatShortId): Promise<AutomationRun> {
  return toAutomationRun(deps, await findAutomationRun(deps, caller, { shortId }));
}

export async function findAutomationRun(
  { db }: Pick<Deps, "db">,
  { organizationId }: Scope,
  named: { id: string } | { shortId: string },
): Promise<Prisma.AutomationRunModel> {
  const row = await db.prisma.automationRun.findFirst({ where: { ...named, organizationId } });
  if (!row) throw new AppError("not_found", "There is no such run of an automation in this organization.");
  return row;
}
