export type { Agent } from "./agents/agent.ts";
export {
  type ClaimedAutomationRun,
  claimAutomationRun,
  executeAutomationRun,
} from "./agents/execute-automation-run.ts";
export {
  createAutomation,
  deleteAutomation,
  insertAutomation,
  updateAutomation,
} from "./change-automation.ts";
export { acknowledgeCondition, listConditionChanges, snoozeCondition } from "./conditions/condition-state.ts";
export { replayCondition } from "./conditions/replay-condition.ts";
export {
  claimRun,
  completeClaimedRun,
  failClaimedRun,
  listClaimedSteps,
  renewClaim,
  reportStep,
} from "./external-agents.ts";
export { findAutomations, getAutomation, listAutomations } from "./get-automation.ts";
export { getRunRecipients } from "./recipients/get-run-recipients.ts";
export { previewRecipients } from "./recipients/preview-recipients.ts";
export { endAutomationRun, stopAutomationRun } from "./runs/end-automation-run.ts";
export { failAbandonedRuns } from "./runs/fail-abandoned-runs.ts";
export { getAutomationRun, getRunOfChat, listAutomationRuns } from "./runs/get-automation-run.ts";
export { listSteps, watchChat } from "./runs/read-steps.ts";
export { expandSchedules, nextRunAt, previewSchedule } from "./schedules.ts";
export {
  insertAutomationRun,
  triggerAutomation,
  triggerAutomationOnce,
  tryAutomation,
} from "./trigger-automation.ts";
