import { z } from "zod";
import { Id } from "./ids.ts";
import { Moment, Timestamp } from "./time.ts";
import { RecoveryPace } from "./webhook-endpoints.ts";

/** Counts deliveries that exhausted their attempts since a time and were not resent. */
export const PreviewWebhookRecovery = z.strictObject({ endpointId: Id, since: Moment });
export type PreviewWebhookRecovery = z.infer<typeof PreviewWebhookRecovery>;

export const WebhookRecoveryPreview = z.object({ total: z.int() });
export type WebhookRecoveryPreview = z.infer<typeof WebhookRecoveryPreview>;

export const StartWebhookRecovery = PreviewWebhookRecovery.extend({ perSecond: RecoveryPace });
export type StartWebhookRecovery = z.infer<typeof StartWebhookRecovery>;

export const WebhookRecoveryId = z.strictObject({ id: Id });
export type WebhookRecoveryId = z.infer<typeof WebhookRecoveryId>;

export const ListWebhookRecoveries = z.strictObject({ endpointId: Id.optional() });
export type ListWebhookRecoveries = z.infer<typeof ListWebhookRecoveries>;

export const WebhookRecovery = z.object({
  id: Id,
  endpointId: Id,
  action: z.enum(["resend_failed", "deliver_held", "drop_held"]),
  since: Timestamp,
  perSecond: z.int(),
  state: z.enum(["running", "completed", "cancelled"]),
  total: z
    .int()
    .describe("The number of deliveries at the start; `queued` of them were queued or dropped so far"),
  queued: z.int(),
  pending: z.int().describe("The queued deliveries by state"),
  held: z.int(),
  succeeded: z.int(),
  exhausted: z.int(),
  cancelled: z.int(),
  dropped: z.int(),
  createdBy: Id.nullable(),
  createdAt: Timestamp,
  endedAt: Timestamp.nullable(),
});
export type WebhookRecovery = z.infer<typeof WebhookRecovery>;
