import type { Outputs } from "@querybell/client";
import { Tag } from "../ui/tag.tsx";

export type AutomationRun = Outputs["automationRuns"]["get"];

type State = Pick<AutomationRun, "status" | "isQueued" | "failure">;

const stateLabels = {
  queued: { tone: "quiet", words: "Waiting" },
  pending: { tone: "quiet", words: "Starting" },
  running: { tone: "info", words: "Running" },
  completed: { tone: "good", words: "Completed" },
  failed: { tone: "bad", words: "Failed" },
  stopped: { tone: "quiet", words: "Stopped" },
} as const;

const stateLabelOf = ({ status, isQueued, failure }: State) => {
  if (failure?.code === "stopped") return stateLabels.stopped;
  return isQueued ? stateLabels.queued : stateLabels[status];
};

/** The state of an automation run. */
export function RunState({ run }: { run: State }) {
  const { tone, words } = stateLabelOf(run);
  return <Tag tone={tone}>{words}</Tag>;
}

export const isUnfinished = ({ status }: Pick<AutomationRun, "status">): boolean =>
  status === "pending" || status === "running";

/** The failure as a sentence. */
export const failureText = ({ code, reason }: NonNullable<AutomationRun["failure"]>): string =>
  code === "stopped" ? "Somebody stopped it before it was done." : reason;
