import type { Outputs } from "@querybell/client";
import { Tag } from "./tag.tsx";

export type AutomationRun = Outputs["automationRuns"]["get"];

type State = Pick<AutomationRun, "status" | "isQueued" | "failure">;

const looks = {
  queued: { tone: "quiet", words: "Waiting" },
  pending: { tone: "quiet", words: "Starting" },
  running: { tone: "info", words: "Running" },
  completed: { tone: "good", words: "Completed" },
  failed: { tone: "bad", words: "Failed" },
  stopped: { tone: "quiet", words: "Stopped" },
} as const;

const lookOf = ({ status, isQueued, failure }: State) => {
  if (failure?.code === "stopped") return looks.stopped;
  return isQueued ? looks.queued : looks[status];
};

/** How far a run of an automation is, or how it ended. */
export function RunState({ run }: { run: State }) {
  const { tone, words } = lookOf(run);
  return <Tag tone={tone}>{words}</Tag>;
}

export const isUnfinished = ({ status }: Pick<AutomationRun, "status">): boolean =>
  status === "pending" || status === "running";

/** What went wrong, in a sentence. */
export const failureWords = ({ code, reason }: NonNullable<AutomationRun["failure"]>): string =>
  code === "stopped" ? "Somebody stopped it before it was done." : reason;
