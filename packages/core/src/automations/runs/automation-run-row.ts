import type { Prisma } from "@querybell/db";
import { AutomationBrief, AutomationRun } from "@querybell/domain";
import type { Deps } from "../../deps.ts";

const NamedBrief = AutomationBrief.pick({ name: true });

/** The automation's name when the run was triggered. The rest of the brief can be long and is not parsed. */
export const automationNameOf = ({ brief }: Pick<Prisma.AutomationRunModel, "brief">): string =>
  NamedBrief.parse(brief).name;

export const toAutomationRun = (
  deps: Pick<Deps, "deployment">,
  row: Prisma.AutomationRunModel,
): AutomationRun => toNamedRun(deps, { ...row, automationName: automationNameOf(row) });

type RunWithoutBrief = Omit<Prisma.AutomationRunModel, "brief">;

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

const toNamedRun = (
  deps: Pick<Deps, "deployment">,
  row: RunWithoutBrief & { automationName: string },
): AutomationRun =>
  AutomationRun.parse({
    ...row,
    scheduledFor: row.scheduledFor?.toISOString() ?? null,
    runAt: row.createdAt.toISOString(),
    isQueued: row.status === "pending" && row.readyAt === null,
    startedAt: row.startedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
    usage:
      row.agent === "model"
        ? { modelCalls: row.modelCalls, inputTokens: row.inputTokens, outputTokens: row.outputTokens }
        : null,
    failure: row.failureCode === null ? null : { code: row.failureCode, reason: row.failureReason },
    chatUrl: chatUrl(deps, row),
  });

/** The permalink of a run's chat. */
export const chatUrl = (
  { deployment }: Pick<Deps, "deployment">,
  { shortId }: Pick<Prisma.AutomationRunModel, "shortId">,
): string => `${deployment.publicUrl}/chats/${shortId}`;

/** The `triggerId` of query runs that an automation run starts. */
export const triggerOfAutomationRun = (runId: string): string => `automation_run:${runId}`;
