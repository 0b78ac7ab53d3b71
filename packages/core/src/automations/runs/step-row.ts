import type { Prisma } from "@querybell/db";
import { AutomationStep } from "@querybell/domain";

/** The columns that a step shows. */
export type StepRow = Omit<Prisma.AutomationStepModel, "organizationId" | "runId" | "revision">;

export const toStep = (row: StepRow): AutomationStep =>
  AutomationStep.parse({
    ...row,
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  });
