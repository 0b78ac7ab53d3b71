import type { Prisma } from "@querybell/db";
import {
  AppError,
  type AutomationRun,
  type AutomationRunId,
  type Caller,
  type ChatShortId,
} from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { permalinkNotFound } from "../../organizations/permalinks.ts";
import { toAutomationRun } from "./automation-run-row.ts";

type Scope = Pick<Caller, "organizationId">;

export async function getAutomationRun(
  deps: Deps,
  caller: Scope,
  { id }: AutomationRunId,
): Promise<AutomationRun> {
  return toAutomationRun(deps, await getAutomationRunRow(deps, caller, { id }));
}

/** Gets the run of a chat's permalink. */
export async function getRunOfChat(
  deps: Deps,
  caller: Caller,
  { shortId }: ChatShortId,
): Promise<AutomationRun> {
  const row = await deps.db.prisma.automationRun.findUnique({ where: { shortId } });
  if (row?.organizationId === caller.organizationId) return toAutomationRun(deps, row);
  throw await permalinkNotFound(deps, caller, {
    organizationId: row?.organizationId,
    otherwise: runNotFound(),
  });
}

export async function getAutomationRunRow(
  { db }: Pick<Deps, "db">,
  { organizationId }: Scope,
  { id }: AutomationRunId,
): Promise<Prisma.AutomationRunModel> {
  const row = await db.prisma.automationRun.findFirst({ where: { id, organizationId } });
  if (!row) throw runNotFound();
  return row;
}

export const runNotFound = () =>
  new AppError("not_found", "There is no such run of an automation in this organization.");
