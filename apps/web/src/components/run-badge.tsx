import { Badge } from "@mantine/core";
import type { RunStatus } from "@querybell/domain";
import classes from "./run-badge.module.css";

const labels: Record<RunStatus, string> = {
  pending: "Waiting",
  running: "Running",
  completed: "Completed",
  failed: "Failed",
};

/** How a run stands: a word, and a dot for those who look quickly. */
export const RunBadge = ({ status }: { status: RunStatus }) => (
  <Badge
    variant="default"
    tt="none"
    fw={500}
    className={classes.badge ?? ""}
    leftSection={<span className={classes.dot} data-status={status} />}
  >
    {labels[status]}
  </Badge>
);
