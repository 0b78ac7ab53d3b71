import type { Prisma, Tx } from "@querybell/db";
import { AutomationBrief, maxQueuedRuns, newId, ownSteps } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { newShortId } from "../../references/short-id.ts";
import { type AutomationRow, budgetOf } from "../automation-row.ts";

interface RunTrigger {
  triggerId: string;
  scheduledFor: Date | null;
}

type InsertedRun = { kind: "created"; run: Prisma.AutomationRunModel } | { kind: "busy"; why: string };

/** Inserts a run: ready to be claimed, or queued behind the unfinished run. The automation must be locked. */
export async function insertAutomationRun(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  automation: AutomationRow,
  trigger: RunTrigger,
): Promise<InsertedRun> {
  const { id: automationId, organizationId, agent, instruction } = automation;
  const unfinished = await tx.automationRun.count({
    where: { automationId, status: { in: ["pending", "running"] } },
  });
  if (unfinished > 0 && automation.whenBusy === "refuse") {
    return { kind: "busy", why: "A run of this automation is unfinished. Wait until it ends, or stop it." };
  }
  if (unfinished > maxQueuedRuns) {
    return {
      kind: "busy",
      why: `${maxQueuedRuns} runs of this automation are waiting already. Wait until one has ended, or stop some.`,
    };
  }
  const createdAt = clock.now();
  const isReady = unfinished === 0;
  const run = await tx.automationRun.create({
    data: {
      id: newId(clock),
      organizationId,
      automationId,
      shortId: newShortId(),
      agent,
      ...trigger,
      brief: toBrief(automation),
      createdAt,
      readyAt: isReady ? createdAt : null,
      revision: 1,
    },
  });
  await tx.automationStep.createMany({ data: toInstructionStep(newId(clock), { run, instruction }) });
  return { kind: "created", run };
}

const toBrief = ({ references, ...automation }: AutomationRow): AutomationBrief =>
  AutomationBrief.parse({
    ...automation,
    budget: budgetOf(automation),
    references: references.map(({ parameterValues, reference: { id, shortId, title } }) => ({
      id,
      shortId,
      title,
      parameterValues,
    })),
  });

interface Instruction {
  run: Prisma.AutomationRunModel;
  instruction: string;
}

/** The instruction is the first step of every transcript. */
const toInstructionStep = (
  id: string,
  { run: { id: runId, organizationId, createdAt }, instruction }: Instruction,
) => ({
  id,
  organizationId,
  runId,
  name: ownSteps.instruction,
  position: 1,
  revision: 1,
  kind: "message" as const,
  state: "completed" as const,
  text: instruction,
  createdAt,
  endedAt: createdAt,
});

/** Makes a queued run claimable. No other run of its automation may be ready. A database trigger wakes the workers. */
export async function markReady(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { id }: Pick<Prisma.AutomationRunModel, "id">,
): Promise<void> {
  await tx.automationRun.update({ where: { id }, data: { readyAt: clock.now() } });
}
