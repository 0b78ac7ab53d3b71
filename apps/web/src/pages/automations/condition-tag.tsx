import { Tag, type Tone } from "../../ui/tag.tsx";
import type { Automation } from "./automation-card.tsx";

type State = NonNullable<Automation["conditionState"]>;
type Status = State["status"];

const labels: Record<NonNullable<Status>, { tone: Tone; label: string }> = {
  normal: { tone: "good", label: "Not met" },
  met: { tone: "bad", label: "Met" },
  resolved: { tone: "good", label: "Resolved" },
  no_data: { tone: "warn", label: "No data" },
};

/** The state of a condition. */
export function ConditionTag({ status }: { status: Status }) {
  const { tone, label } =
    status === null ? { tone: "quiet" as const, label: "Not judged yet" } : labels[status];
  return <Tag tone={tone}>{label}</Tag>;
}

export function conditionWords({ status, reason }: State): string {
  if (status === null) return "The first run learns the present state and tells nothing.";
  return reason ?? "The last run told it.";
}
