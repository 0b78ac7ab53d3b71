import { Badge } from "@mantine/core";
import type { RunStatus } from "@querybell/domain";

const looks: Record<RunStatus, { label: string; color: string }> = {
  pending: { label: "Waiting", color: "gray" },
  running: { label: "Running", color: "blue" },
  completed: { label: "Completed", color: "green" },
  failed: { label: "Failed", color: "red" },
};

/** How a run stands. */
export const RunBadge = ({ status }: { status: RunStatus }) => (
  <Badge variant="light" color={looks[status].color} autoContrast style={{ flex: "none" }}>
    {looks[status].label}
  </Badge>
);
