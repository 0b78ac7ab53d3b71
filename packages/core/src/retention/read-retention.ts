import { endedInvitationDays, heldDeliveryDays, type Retention, rowVersionDays } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** The retention periods of this deployment, in days. */
export const readRetention = ({ deployment }: Pick<Deps, "deployment">): Retention => ({
  ...deployment.retention,
  heldDeliveryDays,
  rowVersionDays,
  endedInvitationDays,
});
