import type { Prisma } from "@querybell/db";
import { Automation, type ModelBudget, StoredParameterValues } from "@querybell/domain";

export interface AutomationRow extends Prisma.AutomationModel {
  references: {
    parameterValues: Prisma.JsonValue;
    reference: Pick<Prisma.QueryReferenceModel, "id" | "shortId" | "title" | "deletedAt">;
  }[];
  subscribers: Prisma.AutomationSubscriberModel[];
}

/** The relations to read with an automation: its references in order, and its subscribers. */
export const withContent = {
  references: {
    orderBy: { position: "asc" },
    // Without the parameter definitions, which can be long and are not needed.
    select: {
      parameterValues: true,
      reference: { select: { id: true, shortId: true, title: true, deletedAt: true } },
    },
  },
  subscribers: { orderBy: { userId: "asc" } },
} as const;

export const toBudgetColumns = ({ steps, tokens }: ModelBudget) => ({
  stepBudget: steps,
  tokenBudget: tokens,
});

const StoredSchedule = Automation.shape.schedule;

export const toAutomation = (row: AutomationRow): Automation => ({
  id: row.id,
  name: row.name,
  instruction: row.instruction,
  references: row.references.map(({ parameterValues, reference }) => ({
    shortId: reference.shortId,
    title: reference.title,
    parameterValues: StoredParameterValues.parse(parameterValues),
    isDeleted: reference.deletedAt !== null,
  })),
  agent: row.agent,
  budget: { steps: row.stepBudget, tokens: row.tokenBudget },
  allowsSql: row.allowsSql,
  schedule: StoredSchedule.parse(row.schedule),
  enabled: row.enabled,
  whenBusy: row.whenBusy,
  timeLimitSeconds: row.timeLimitSeconds,
  subscribers: row.subscribers.map(({ userId, inApp, byMail, onFailure, onSummary }) => ({
    userId,
    inApp,
    byMail,
    onFailure,
    onSummary,
  })),
  nextRunAt: row.nextRunAt?.toISOString() ?? null,
  lastSkippedAt: row.lastSkippedAt?.toISOString() ?? null,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
