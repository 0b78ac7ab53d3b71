import { z } from "zod";

/** How many days a delivery is held for a disabled endpoint before it is dropped. */
export const heldDeliveryDays = 30;

/** How many days earlier versions of queries and references are kept for sequences of pages. */
export const rowVersionDays = 7;

/** How many days an invitation is kept after it has expired. */
export const endedInvitationDays = 30;

/** The retention periods of this deployment, in days. */
export const Retention = z.object({
  webhookHistoryDays: z.int().describe("Finished webhook deliveries with their attempts and events"),
  queryRunDays: z.int().describe("Ended query runs; the last ones of each query stay"),
  automationRunDays: z
    .int()
    .describe("Ended automation runs with their chats; the last ones of each automation stay"),
  notificationDays: z.int(),
  auditDays: z.int().describe("Entries of the audit log"),
  heldDeliveryDays: z.int(),
  rowVersionDays: z.int(),
  endedInvitationDays: z.int(),
});
export type Retention = z.infer<typeof Retention>;
