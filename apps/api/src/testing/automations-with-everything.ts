import type { Deps } from "@querybell/core";
import { createAutomation, triggerAutomation } from "@querybell/core/automations";
import { createDestination } from "@querybell/core/destinations";
import { setPreference } from "@querybell/core/notifications";
import { type Caller, CreateAutomation, newId } from "@querybell/domain";

/** An automation with a reference, a subscriber, a destination, a run, its steps, a stored result, what is kept of a condition, and messages. */
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
      subscribers: [{ userId: caller.userId, inApp: true, byMail: false, onFailure: true, onSummary: true }],
    }),
  );
  const { id: runId } = await triggerAutomation(deps, caller, automation);
  const { organizationId, userId } = caller;
  const { id: endpointId } = await createDestination(deps, caller, {
    kind: "slack",
    name: `Destination ${marker}`,
    url: `http://127.0.0.1:9/slack-${marker}`,
  });
  await deps.db.prisma.automationDestination.create({
    data: { automationId: automation.id, endpointId, organizationId, eventTypes: ["automation.run.failed"] },
  });
  await setPreference(deps, { userId }, { kind: "automation_summary", inApp: true, byMail: false });
  const step = await deps.db.prisma.automationStep.findFirstOrThrow({ where: { runId } });
  await deps.db.prisma.automationResult.create({
    data: { stepId: step.id, organizationId, runId, gzippedJson: Buffer.from(marker), cut: false },
  });
  await makeCondition(deps, { organizationId, automationId: automation.id, runId, marker });
  await makeMessages(deps, { organizationId, runId, marker });
}

/** Who got rows of the run, and a picture of a message. */
async function makeMessages(
  { db: { prisma }, clock }: Deps,
  { organizationId, runId, marker }: Record<"organizationId" | "runId" | "marker", string>,
): Promise<void> {
  const [eventId, createdAt] = [newId(clock), clock.now()];
  const type = "automation.recipient.told";
  const body = Buffer.from(JSON.stringify({ type, data: marker }));
  await prisma.webhookEvent.create({ data: { id: eventId, organizationId, type, body, createdAt } });
  const told = [{ recipient: marker, rowCount: 1, eventId }];
  await prisma.runRecipients.create({
    data: { runId, organizationId, told, leftOut: [], leftOutCount: 0, emptyCount: 0 },
  });
  await prisma.messagePicture.create({
    data: {
      ...{ eventId, position: 0, organizationId, title: marker, png: Buffer.from(marker) },
      ...{ token: `${marker} ${eventId}`, tokenHash: Buffer.from(`${marker} ${eventId}`) },
      ...{ referenceIds: [newId(clock)], rowRightsVersions: [0], expiresAt: createdAt },
    },
  });
}

async function makeCondition(
  { db: { prisma }, clock }: Deps,
  { marker, runId, ...ids }: Record<"organizationId" | "automationId" | "runId" | "marker", string>,
): Promise<void> {
  const conditionId = newId(clock);
  const at = clock.now();
  const { organizationId } = ids;
  await prisma.automationConditionState.create({
    data: { ...ids, conditionId, status: "met", openSince: at, toldAt: at, reason: marker, judgedAt: at },
  });
  await prisma.conditionBase.create({
    data: { conditionId, organizationId, gzippedJson: Buffer.from(marker) },
  });
  await prisma.conditionJudgement.create({
    data: {
      ...ids,
      runId,
      conditionId,
      at,
      status: "met",
      told: "met",
      toldPeople: true,
      facts: [],
      reason: marker,
    },
  });
}
