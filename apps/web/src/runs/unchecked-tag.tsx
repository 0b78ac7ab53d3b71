import type { Outputs } from "@querybell/client";
import { Tag } from "../ui/tag.tsx";

/** Marks the summary of an external agent, which Querybell has not checked. Nothing for other agents. */
export const UncheckedTag = ({ agent }: Pick<Outputs["automationRuns"]["get"], "agent">) =>
  agent === "external" ? <Tag tone="warn">Not checked by Querybell</Tag> : null;
