import { Badge } from "@mantine/core";
import type { RunStatus } from "@querybell/domain";
import classes from "./run-badge.module.css";

const labels: Record<RunStatus, string> = {
  pending: "Waiting",
  running: "Running",
  completed: "Completed",
  failed: "Failed",
};

/** The state of a run: a word and a coloured dot. */
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
