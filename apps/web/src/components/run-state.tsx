import { Badge } from "@mantine/core";
import type { Outputs } from "@querybell/client";

export type AutomationRun = Outputs["automationRuns"]["get"];

type State = Pick<AutomationRun, "status" | "isQueued" | "failure">;

const looks = {
  queued: { color: "gray", words: "Waiting" },
  pending: { color: "gray", words: "Starting" },
  running: { color: "blue", words: "Running" },
  completed: { color: "green", words: "Completed" },
  failed: { color: "red", words: "Failed" },
  stopped: { color: "gray", words: "Stopped" },
} as const;

const lookOf = ({ status, isQueued, failure }: State) => {
  if (failure?.code === "stopped") return looks.stopped;
  return isQueued ? looks.queued : looks[status];
};

/** How far a run of an automation is, or how it ended. */
export function RunState({ run }: { run: State }) {
  const { color, words } = lookOf(run);
  return (
    <Badge color={color} variant="light" tt="none" fw={600}>
      {words}
    </Badge>
  );
}

export const isUnfinished = ({ status }: Pick<AutomationRun, "status">): boolean =>
  status === "pending" || status === "running";

/** What went wrong, in a sentence. */
export const failureWords = ({ code, reason }: NonNullable<AutomationRun["failure"]>): string =>
  code === "stopped" ? "Somebody stopped it before it was done." : reason;
