import { endedInvitationDays, heldDeliveryDays, type Retention, rowVersionDays } from "@querybell/domain";
import type { Deps } from "../deps.ts";

/** How long this deployment keeps what it writes down. The operator sets it. */
export const readRetention = ({ deployment }: Pick<Deps, "deployment">): Retention => ({
  webhookHistoryDays: deployment.webhookRetentionDays,
  heldDeliveryDays,
  rowVersionDays,
  endedInvitationDays,
});
