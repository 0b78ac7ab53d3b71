import type { Prisma, Tx } from "@querybell/db";
import { AppError, maxSteps, newId } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import type { ClaimedAutomationRun } from "./claim-automation-run.ts";

export interface StepWrite {
  name: string;
  kind: "message" | "tool_call";
  state: "running" | "completed" | "failed";
  text: string;
  tool?: string;
  input?: Prisma.InputJsonValue;
  output?: Prisma.InputJsonValue;
  queryRunId?: string | null;
}

type LeasedRun = Pick<ClaimedAutomationRun, "id" | "organizationId" | "leaseNumber">;

export const claimLost = () =>
  new AppError("claim_lost", "This run has ended, or another agent has claimed it. Claim another one.");

/**
 * Creates a step, or updates it while its state is `running`, which is how a step streams. Returns an ended step
 * unchanged. Only the newest lease may write.
 */
export async function writeStep(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { id: runId, organizationId, leaseNumber }: LeasedRun,
  { name, ...content }: StepWrite,
): Promise<Prisma.AutomationStepModel> {
  const revision = await checkLease(tx, { id: runId, leaseNumber });
  const before = await tx.automationStep.findUnique({ where: { runId_name: { runId, name } } });
  if (before && before.state !== "running") return before;
  if (before && before.kind !== content.kind) {
    throw new AppError(
      "conflict",
      `The step ${name} is a ${before.kind}. Keep its kind, or name another step.`,
    );
  }
  const now = clock.now();
  const columns = { ...content, revision, endedAt: content.state === "running" ? null : now };
  if (before) return tx.automationStep.update({ where: { id: before.id }, data: columns });
  if ((await tx.automationStep.count({ where: { runId } })) >= maxSteps) {
    throw new AppError("conflict", `A transcript has at most ${maxSteps} steps. Complete or fail the run.`);
  }
  const data = { id: newId(clock), organizationId, runId, name, position: revision, createdAt: now };
  return tx.automationStep.create({ data: { ...data, ...columns } });
}

/** Checks the lease and locks the run until the transaction ends, which serializes the writes to one transcript. */
async function checkLease(
  tx: Tx,
  { id, leaseNumber }: Pick<ClaimedAutomationRun, "id" | "leaseNumber">,
): Promise<number> {
  const [run] = await tx.$queryRaw<{ revision: number }[]>`
    UPDATE automation_runs SET revision = revision + 1
    WHERE id = ${id}::uuid AND lease_number = ${leaseNumber} AND status = 'running' RETURNING revision`;
  if (!run) throw claimLost();
  return run.revision;
}
