import { claimRun, createAutomation, triggerAutomation } from "@querybell/core/automations";
import { CreateAutomation } from "@querybell/domain";
import type { Scene } from "./scene.ts";

/** An automation with an external agent, and the notifications of its subscriber. */
export async function playAutomations(scene: Scene, shortId: string): Promise<void> {
  const { deps, play, caller } = scene;
  const schedule = { cron: "0 9 * * mon-fri", timeZone: "Europe/Berlin" };
  await play("automations.previewSchedule", { schedule });
  const { id } = await play("automations.create", {
    name: "Fruit report",
    instruction: "Say which fruits have become heavier.",
    references: [{ shortId, parameterValues: { least: 4 } }],
    agent: "external",
    schedule,
    subscribers: [{ userId: caller.userId, inApp: true, byMail: false, onFailure: true, onSummary: true }],
  });
  await playAgent(scene, id);
  await play("automations.get", { id });
  await play("automations.list");
  await play("automations.update", { id, enabled: false });
  const unused = CreateAutomation.parse({
    name: "Unused",
    instruction: "Nothing.",
    references: [{ shortId }],
  });
  await play("automations.delete", { id: (await createAutomation(deps, caller, unused)).id });
  await play("home.overview");
  await playNotifications(scene);
}

async function playAgent({ deps, play, caller, keyCaller }: Scene, automationId: string): Promise<void> {
  const run = await play("automations.trigger", { id: automationId });
  const claim = await play("externalAgents.claim", { automationId, leaseSeconds: 120 });
  const claimed = { runId: run.id, claimNumber: claim?.claimNumber ?? 0 };
  await play("externalAgents.report", {
    ...claimed,
    step: { kind: "message", name: "thinking", text: "Two fruits are on the list." },
  });
  await play("externalAgents.renew", claimed);
  await play("externalAgents.steps", claimed);
  await play("automationRuns.watch", { id: run.id });
  await play("externalAgents.complete", { ...claimed, summary: "The pear has become heavier." });
  await triggerAutomation(deps, caller, { id: automationId });
  const second = await claimRun(deps, keyCaller, { automationId, leaseSeconds: 60 });
  await play("externalAgents.fail", {
    runId: second?.run.id ?? "",
    claimNumber: second?.claimNumber ?? 0,
    reason: "The scales do not answer.",
  });
  const third = await triggerAutomation(deps, caller, { id: automationId });
  await play("automationRuns.stop", { id: third.id });
  await play("automationRuns.get", { id: run.id });
  await play("automationRuns.findChat", { shortId: run.shortId });
  await play("automationRuns.steps", { runId: run.id });
  await play("automationRuns.list", { automationId, limit: 2 });
}

async function playNotifications({ play }: Scene): Promise<void> {
  await play("notifications.list", { unreadOnly: true });
  await play("notifications.unread");
  await play("notifications.watch");
  await play("notifications.markRead", { ids: "all" });
  await play("notifications.preferences");
  await play("notifications.setPreference", { kind: "automation_summary", inApp: true, byMail: false });
}
