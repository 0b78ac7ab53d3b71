import { createAutomation, type Deps, triggerAutomation } from "@querybell/core";
import { type Caller, CreateAutomation } from "@querybell/domain";

/** An automation that looks at a reference, with a run, its chat and a result that the run has kept. */
export async function makeAutomationWithEverything(
  deps: Deps,
  caller: Caller,
  { shortId, marker }: { shortId: string; marker: string },
): Promise<void> {
  const automation = await createAutomation(
    deps,
    caller,
    CreateAutomation.parse({
      name: `Automation ${marker}`,
      instruction: `Look at ${marker}`,
      references: [{ shortId }],
      agent: "external",
      schedule: { cron: "0 9 * * *", timeZone: "UTC" },
    }),
  );
  const { id: runId } = await triggerAutomation(deps, caller, automation);
  const { organizationId } = caller;
  const step = await deps.db.prisma.automationStep.findFirstOrThrow({ where: { runId } });
  await deps.db.prisma.automationResult.create({
    data: { stepId: step.id, organizationId, runId, gzippedJson: Buffer.from(marker), cut: false },
  });
}
