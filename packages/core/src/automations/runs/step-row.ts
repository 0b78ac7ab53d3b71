import type { Prisma } from "@querybell/db";
import { AutomationStep } from "@querybell/domain";

/** The columns that a step shows. */
export type StepRow = Omit<Prisma.AutomationStepModel, "organizationId" | "runId" | "revision">;

const { input, output } = AutomationStep.shape;

export const toStep = (row: StepRow): AutomationStep => ({
  id: row.id,
  name: row.name,
  position: row.position,
  kind: row.kind,
  state: row.state,
  text: row.text,
  tool: row.tool,
  input: input.parse(row.input),
  output: output.parse(row.output),
  queryRunId: row.queryRunId,
  createdAt: row.createdAt.toISOString(),
  endedAt: row.endedAt?.toISOString() ?? null,
});
