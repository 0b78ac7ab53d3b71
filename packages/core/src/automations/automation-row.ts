import type { Prisma } from "@querybell/db";
import { Automation, type ModelBudget } from "@querybell/domain";

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

const budgetOf = ({
  stepBudget,
  tokenBudget,
}: Pick<Prisma.AutomationModel, "stepBudget" | "tokenBudget">) => ({
  steps: stepBudget,
  tokens: tokenBudget,
});

export const toBudgetColumns = ({ steps, tokens }: ModelBudget) => ({
  stepBudget: steps,
  tokenBudget: tokens,
});

export const toAutomation = (row: AutomationRow): Automation =>
  Automation.parse({
    ...row,
    budget: budgetOf(row),
    references: row.references.map(({ parameterValues, reference }) => ({
      shortId: reference.shortId,
      title: reference.title,
      parameterValues,
      isDeleted: reference.deletedAt !== null,
    })),
    nextRunAt: row.nextRunAt?.toISOString() ?? null,
    lastSkippedAt: row.lastSkippedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  });
