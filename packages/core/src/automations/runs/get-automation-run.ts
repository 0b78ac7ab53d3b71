import type { Prisma } from "@querybell/db";
import {
  AppError,
  AutomationBrief,
  AutomationFailure,
  type AutomationRun,
  type AutomationRunId,
  type Caller,
  type ChatShortId,
  type ListAutomationRuns,
  type Page,
} from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { chatUrl, permalinkNotFound } from "../../organizations/permalinks.ts";
import { newestFirst, readLivePage } from "../../paging/live-page.ts";
import type { InsertedRun } from "../trigger-automation.ts";
import type { AutomationEnd } from "./end-automation-run.ts";

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
  const { organizationId } = caller;
  const row = await deps.db.prisma.automationRun.findFirst({ where: { shortId, organizationId } });
  if (row) return toAutomationRun(deps, row);
  throw await permalinkNotFound(deps, caller, { kind: "chat", shortId, otherwise: runNotFound() });
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

/** Lists the runs of one automation or of all, newest first. */
export async function listAutomationRuns(
  deps: Deps,
  { organizationId }: Caller,
  { automationId, limit, cursor }: ListAutomationRuns,
): Promise<Page<AutomationRun>> {
  const filter = automationId === undefined ? "" : `automationId=${automationId}`;
  const { items, ...rest } = await readLivePage(
    deps,
    { list: "automation_runs", organizationId, filter, limit, cursor },
    ({ after, take }) => {
      const { where, orderBy } = newestFirst(after);
      return deps.db.prisma.automationRun.findMany({
        where: { organizationId, isTrial: false, ...(automationId && { automationId }), ...where },
        omit: { brief: true },
        orderBy,
        take,
      });
    },
  );
  return { items: await toAutomationRuns(deps, items), ...rest };
}

const NamedBrief = AutomationBrief.pick({ name: true });

/** The automation's name when the run was triggered. The rest of the brief can be long and is not parsed. */
export const automationNameOf = ({ brief }: Pick<Prisma.AutomationRunModel, "brief">): string =>
  NamedBrief.parse(brief).name;

export const toAutomationRun = (
  deps: Pick<Deps, "deployment">,
  row: Prisma.AutomationRunModel,
): AutomationRun => toNamedRun(deps, { ...row, automationName: automationNameOf(row) });

/** The columns that a run shows: not its brief, which can be long, and not its lease. */
type RunWithoutBrief = Omit<
  Prisma.AutomationRunModel,
  | "brief"
  | "organizationId"
  | "deadlineAt"
  | "idempotencyKey"
  | "revision"
  | "traceContext"
  | "leaseHolder"
  | "leaseUntil"
  | "leaseNumber"
>;

/** Converts a run that was just inserted. */
export const toNewRun = (deps: Pick<Deps, "deployment">, run: InsertedRun): AutomationRun =>
  toNamedRun(deps, {
    ...run,
    status: "pending",
    startedAt: null,
    completedAt: null,
    summary: null,
    failureCode: null,
    failureReason: null,
    isTrial: false,
    modelCalls: 0,
    inputTokens: 0,
    outputTokens: 0,
  });

export type NamedRunRow = RunWithoutBrief & { automationName: string };

/** The columns of a `NamedRunRow`, for SQL. */
export const namedRunColumns = `id, automation_id AS "automationId", brief->>'name' AS "automationName",
  short_id AS "shortId", agent, status, trigger_id AS "triggerId", is_trial AS "isTrial", scheduled_for AS "scheduledFor",
  created_at AS "createdAt", ready_at AS "readyAt", started_at AS "startedAt", completed_at AS "completedAt", summary,
  failure_code AS "failureCode", failure_reason AS "failureReason", model_calls AS "modelCalls",
  input_tokens AS "inputTokens", output_tokens AS "outputTokens"`;

/** Converts a run that was read before it ended. */
export const toEndedRun = (
  deps: Pick<Deps, "deployment">,
  { completedAt, end, ...run }: NamedRunRow & { completedAt: Date; end: AutomationEnd },
): AutomationRun =>
  toNamedRun(deps, {
    ...run,
    status: end.kind,
    completedAt,
    summary: end.kind === "completed" ? end.summary : null,
    failureCode: end.kind === "failed" ? end.failure.code : null,
    failureReason: end.kind === "failed" ? end.failure.reason : null,
  });

/** Converts runs that were read without their briefs. Reads their names in one statement. */
export async function toAutomationRuns(
  deps: Pick<Deps, "db" | "deployment">,
  rows: RunWithoutBrief[],
): Promise<AutomationRun[]> {
  const { rows: named } = await deps.db.pool.query<{ id: string; name: string }>({
    name: "read_names_of_automation_runs",
    text: "SELECT id, brief->>'name' AS name FROM automation_runs WHERE id = ANY($1::uuid[])",
    values: [rows.map(({ id }) => id)],
  });
  const names = new Map(named.map(({ id, name }) => [id, name]));
  return rows.flatMap((row) => {
    const automationName = names.get(row.id);
    return automationName === undefined ? [] : [toNamedRun(deps, { ...row, automationName })];
  });
}

/** Converts a run whose name was read with it. */
export const toNamedRun = (deps: Pick<Deps, "deployment">, row: NamedRunRow): AutomationRun => ({
  id: row.id,
  automationId: row.automationId,
  automationName: row.automationName,
  agent: row.agent,
  status: row.status,
  triggerId: row.triggerId,
  isTrial: row.isTrial,
  scheduledFor: row.scheduledFor?.toISOString() ?? null,
  runAt: row.createdAt.toISOString(),
  isQueued: row.status === "pending" && row.readyAt === null,
  startedAt: row.startedAt?.toISOString() ?? null,
  completedAt: row.completedAt?.toISOString() ?? null,
  summary: row.summary,
  failure:
    row.failureCode === null
      ? null
      : AutomationFailure.parse({ code: row.failureCode, reason: row.failureReason }),
  usage:
    row.agent === "model"
      ? { modelCalls: row.modelCalls, inputTokens: row.inputTokens, outputTokens: row.outputTokens }
      : null,
  shortId: row.shortId,
  chatUrl: chatUrl(deps, row),
});
