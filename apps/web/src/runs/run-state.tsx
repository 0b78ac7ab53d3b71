import { Badge } from "@mantine/core";
import type { Outputs } from "@querybell/client";
import type { RunFailureCode, RunStatus } from "@querybell/domain";
import { Tag } from "../ui/tag.tsx";
import classes from "./run-state.module.css";

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

const labels: Record<RunStatus | "cancelled", string> = {
  pending: "Waiting",
  running: "Running",
  completed: "Completed",
  failed: "Failed",
  cancelled: "Cancelled",
};

interface RunBadgeProps {
  status: RunStatus;
  /** Why it failed, where that is known. */
  failureCode?: RunFailureCode | undefined;
}

/** The state of a run: a word and a coloured dot. */
export function RunBadge({ status, failureCode }: RunBadgeProps) {
  const state = failureCode === "cancelled" ? "cancelled" : status;
  return (
    <Badge
      variant="default"
      tt="none"
      fw={500}
      className={classes.badge ?? ""}
      leftSection={<span className={classes.dot} data-status={state} />}
    >
      {labels[state]}
    </Badge>
  );
}

/** Marks the summary of an external agent, which Querybell has not checked. Nothing for other agents. */
export const UncheckedTag = ({ agent }: Pick<Outputs["automationRuns"]["get"], "agent">) =>
  agent === "external" ? <Tag tone="warn">Not checked by Querybell</Tag> : null;
