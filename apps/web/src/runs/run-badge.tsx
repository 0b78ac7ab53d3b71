import { Badge } from "@mantine/core";
import type { RunFailureCode, RunStatus } from "@querybell/domain";
import classes from "./run-badge.module.css";

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
