import { claimRun, createAutomation, deleteAutomation, triggerAutomation } from "@querybell/core/automations";
import { createDestination } from "@querybell/core/destinations";
import { deleteEndpoint } from "@querybell/core/webhooks";
import { CreateAutomation, newId } from "@querybell/domain";
import type { ExampleContext } from "./example-context.ts";

/** An automation with an external agent, and the notifications of its subscriber. */
export async function recordAutomations(context: ExampleContext, shortId: string): Promise<void> {
  const { deps, record, caller } = context;
  const schedule = { cron: "0 9 * * mon-fri", timeZone: "Europe/Berlin" };
  await record("automations.previewSchedule", { schedule });
  const { id } = await record("automations.create", {
    name: "Fruit report",
    instruction: "Say which fruits have become heavier.",
    references: [{ shortId, parameterValues: { least: 4 } }],
    agent: "external",
    schedule,
    subscribers: [{ userId: caller.userId, inApp: true, byMail: false, onFailure: true, onSummary: true }],
  });
  await record("automations.try", {
    id,
    name: "Fruit report",
    instruction: "Say which fruits have become heavier.",
    references: [{ shortId, parameterValues: { least: 3 } }],
  });
  await recordAgent(context, id);
  await record("automations.get", { id });
  await record("automations.list");
  await record("automations.update", { id, enabled: false });
  const unused = CreateAutomation.parse({
    name: "Unused",
    instruction: "Nothing.",
    references: [{ shortId }],
  });
  await record("automations.delete", { id: (await createAutomation(deps, caller, unused)).id });
  await recordCondition(context, shortId);
  await recordRecipients(context, shortId);
  await record("home.recordOpened", { kind: "automation", id });
  await record("home.overview");
  await recordNotifications(context);
}

/** A condition that is met. */
async function recordCondition({ deps, record, caller }: ExampleContext, shortId: string): Promise<void> {
  const condition = {
    shortId,
    rule: {
      condition: {
        kind: "figure",
        figure: { operation: "sum", column: "weight" },
        is: { operator: "more", to: { kind: "value", value: "7" } },
      },
    },
  } as const;
  await record("automations.replayCondition", { condition });
  const content = {
    name: "Heavy fruits",
    instruction: "Say when the fruits are too heavy.",
    references: [{ shortId }],
  };
  const wanted = CreateAutomation.parse({ ...content, condition });
  const { id } = await createAutomation(deps, caller, wanted);
  const run = await triggerAutomation(deps, caller, { id });
  const { prisma } = deps.db;
  const at = deps.clock.now();
  const { conditionId } = await prisma.automationConditionState.update({
    where: { automationId: id },
    data: { status: "met", runsMet: 1, openSince: at, toldAt: at, judgedAt: at },
  });
  const fact = { kind: "figure", name: "sum of weight", value: "8", compared: "7", difference: "1" };
  await prisma.conditionJudgement.create({
    data: {
      runId: run.id,
      organizationId: caller.organizationId,
      automationId: id,
      ...{ conditionId, at, status: "met", previousStatus: "normal", told: "met", toldPeople: true },
      facts: [{ ...fact, percent: "14.29" }],
    },
  });
  await record("automations.acknowledgeCondition", { id });
  const until = new Date(at.getTime() + 24 * 60 * 60 * 1000).toISOString();
  await record("automations.snoozeCondition", { id, until });
  await record("automations.listConditionChanges", { id });
  await deleteAutomation(deps, caller, { id });
}

/** A run that has sent each recipient their rows. */
async function recordRecipients({ deps, record, caller }: ExampleContext, shortId: string): Promise<void> {
  const slack = { kind: "slack", name: "#apples", url: "http://127.0.0.1:4002/services/T1" } as const;
  const { id: destinationId } = await createDestination(deps, caller, slack);
  const choices = [{ value: "apple", destinationId }];
  const recipients = { shortId, column: "name", to: { kind: "destinations", choices } } as const;
  await record("automations.previewRecipients", { recipients, parameterValues: { least: 4 } });
  const references = [{ shortId, parameterValues: { least: 4 } }];
  const words = { name: "To each their fruits", instruction: "Send everybody their fruits." };
  const wanted = CreateAutomation.parse({ ...words, references, recipients });
  const { id } = await createAutomation(deps, caller, wanted);
  const run = await triggerAutomation(deps, caller, { id });
  const told = [{ recipient: "apple", rowCount: 1, eventId: newId(deps.clock) }];
  const leftOut = [{ recipient: "pear", rowCount: 1, refusal: "no_destination" }];
  await deps.db.prisma.runRecipients.create({
    data: {
      ...{ runId: run.id, organizationId: caller.organizationId },
      ...{ told, leftOut, leftOutCount: 1, emptyCount: 0 },
    },
  });
  await record("automationRuns.recipients", { id: run.id });
  await deleteAutomation(deps, caller, { id });
  await deleteEndpoint(deps, caller, { id: destinationId });
}

async function recordAgent(
  { deps, record, caller, keyCaller }: ExampleContext,
  automationId: string,
): Promise<void> {
  const run = await record("automations.trigger", { id: automationId });
  const claim = await record("externalAgents.claim", { automationId, leaseSeconds: 120 });
  const claimed = { runId: run.id, claimNumber: claim?.claimNumber ?? 0 };
  await record("externalAgents.report", {
    ...claimed,
    step: { kind: "message", name: "thinking", text: "Two fruits are on the list." },
  });
  await record("externalAgents.renew", claimed);
  await record("externalAgents.steps", claimed);
  await record("automationRuns.watch", { id: run.id });
  await record("externalAgents.complete", { ...claimed, summary: "The pear has become heavier." });
  await triggerAutomation(deps, caller, { id: automationId });
  const second = await claimRun(deps, keyCaller, { automationId, leaseSeconds: 60 });
  await record("externalAgents.fail", {
    runId: second?.run.id ?? "",
    claimNumber: second?.claimNumber ?? 0,
    reason: "The scales do not answer.",
  });
  const third = await triggerAutomation(deps, caller, { id: automationId });
  await record("automationRuns.stop", { id: third.id });
  await record("automationRuns.get", { id: run.id });
  await record("automationRuns.findChat", { shortId: run.shortId });
  await record("automationRuns.steps", { runId: run.id });
  await record("automationRuns.list", { automationId, limit: 2 });
}

async function recordNotifications({ record }: ExampleContext): Promise<void> {
  await record("notifications.list", { unreadOnly: true });
  await record("notifications.unread");
  await record("notifications.watch");
  await record("notifications.markRead", { ids: "all" });
  await record("notifications.preferences");
  await record("notifications.setPreference", { kind: "automation_summary", inApp: true, byMail: false });
}
