import {
  claimRun,
  reportStep,
  stopAutomationRun,
  triggerAutomation,
  tryAutomation,
} from "@querybell/core/automations";
import { createOptimisticReference } from "@querybell/core/references";
import { TryAutomation } from "@querybell/domain";
import type { ProvocationContext } from "./provoke.ts";

/** Errors because of the state of an automation or of its run. */
export async function provokeAutomations({ deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const waiting = await createOptimisticReference(deps, owner, {});
  const references = [{ shortId: waiting.shortId }];
  const digest = await make.automation(owner, { whenBusy: "refuse" });
  await provoke("automations.create", "conflict", { name: "A", instruction: "B", references });
  await provoke("automations.update", "conflict", { id: digest.id, references });
  await provoke("automations.update", "model_missing", { id: digest.id, agent: "model" });
  const { shortId } = await make.reference(owner, "SELECT 1 AS one");
  const wanted = { name: "A", instruction: "B", references: [{ shortId }], agent: "model" };
  await provoke("automations.create", "model_missing", wanted);
  await provoke("automations.try", "model_missing", wanted);
  await provoke("automations.try", "conflict", { name: "A", instruction: "B", references });
  const tried = { name: "A", instruction: "B", references: [{ shortId }], agent: "digest" as const };
  const trial = await tryAutomation(deps, owner, TryAutomation.parse(tried));
  await provoke("automations.try", "automation_busy", tried);
  await stopAutomationRun(deps, owner, { id: trial.id });
  await triggerAutomation(deps, owner, digest);
  await provoke("automations.trigger", "automation_busy", { id: digest.id });
  const paused = await make.automation(owner, { enabled: false });
  await provoke("automations.trigger", "automation_paused", { id: paused.id });

  await provoke("automations.acknowledgeCondition", "conflict", { id: digest.id });
  await provoke("automations.snoozeCondition", "conflict", { id: digest.id, until: null });

  await provoke("externalAgents.claim", "conflict", { automationId: digest.id });
  const external = await make.automation(owner, { agent: "external" });
  await triggerAutomation(deps, owner, external);
  const claim = await claimRun(deps, owner, { automationId: external.id, leaseSeconds: 60 });
  const claimed = { runId: claim?.run.id ?? "", claimNumber: claim?.claimNumber ?? 0 };
  const step = { name: "one", state: "running", text: "" } as const;
  await reportStep(deps, owner, { ...claimed, step: { kind: "message", ...step } });
  await provoke("externalAgents.report", "conflict", {
    ...claimed,
    step: { kind: "tool_call", tool: "x", ...step },
  });

  const lost = { ...claimed, claimNumber: claimed.claimNumber + 1 };
  await provoke("externalAgents.renew", "claim_lost", lost);
  await provoke("externalAgents.steps", "claim_lost", lost);
  await provoke("externalAgents.report", "claim_lost", { ...lost, step: { kind: "message", ...step } });
  await provoke("externalAgents.complete", "claim_lost", { ...lost, summary: "Done." });
  await provoke("externalAgents.fail", "claim_lost", { ...lost, reason: "Broken." });
}
