import type { Prisma, Tx } from "@querybell/db";
import { AutomationBrief, maxQueuedRuns, newId, ownSteps } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { newShortId } from "../../references/short-id.ts";
import type { AutomationRow } from "../automation-row.ts";

interface Start {
  triggerId: string;
  scheduledFor: Date | null;
}

type Made = { kind: "made"; run: Prisma.AutomationRunModel } | { kind: "busy"; why: string };

/** A run that workers may claim at once, or its place in the queue of its automation, which is locked. */
export async function insertAutomationRun(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  automation: AutomationRow,
  start: Start,
): Promise<Made> {
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
  const hasTurn = unfinished === 0;
  const run = await tx.automationRun.create({
    data: {
      id: newId(clock),
      organizationId,
      automationId,
      shortId: newShortId(),
      agent,
      ...start,
      brief: briefOf(automation),
      createdAt,
      readyAt: hasTurn ? createdAt : null,
      revision: 1,
    },
  });
  await tx.automationStep.createMany({ data: instructionStep(newId(clock), { run, instruction }) });
  return { kind: "made", run };
}

const briefOf = ({ references, ...automation }: AutomationRow): AutomationBrief =>
  AutomationBrief.parse({
    ...automation,
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

/** Every transcript begins with what the agent was told. */
const instructionStep = (
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

/** Lets a run begin that waited: no other run of its automation has its turn. A trigger wakes the workers. */
export async function markReady(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { id }: Pick<Prisma.AutomationRunModel, "id">,
): Promise<void> {
  await tx.automationRun.update({ where: { id }, data: { readyAt: clock.now() } });
}
