import type { Prisma } from "@querybell/db";
import { AutomationStep } from "@querybell/domain";

export const toStep = (row: Prisma.AutomationStepModel): AutomationStep =>
  AutomationStep.parse({
    ...row,
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  });
