import { z } from "zod";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { Moment, Timestamp } from "./time.ts";

export const AuditAction = z.enum([
  "organization.created",
  "settings.changed",
  "member.joined",
  "member.role_changed",
  "member.removed",
  "member.password_reset_link_created",
  "invitation.created",
  "invitation.revoked",
  "api_key.created",
  "api_key.revoked",
  "model.changed",
  "model.removed",
  "model_usage.corrected",
  "database.created",
  "database.changed",
  "database.deleted",
  "database.described",
  "sample_shop.created",
  "sample_shop.deleted",
  "uploaded_table.created",
  "uploaded_table.replaced",
  "uploaded_table.appended",
  "uploaded_table.updated",
  "uploaded_table.dropped",
  "webhook_endpoint.created",
  "webhook_endpoint.changed",
  "webhook_endpoint.disabled",
  "webhook_endpoint.enabled",
  "webhook_endpoint.deleted",
  "webhook_secret.rotated",
  "webhook_secret.switched",
  "webhook_recovery.started",
  "webhook_recovery.cancelled",
]);
export type AuditAction = z.infer<typeof AuditAction>;

/** Every filter is optional. */
export const ListAudit = ListPage.extend({
  actor: z
    .union([Id, z.literal("operator")], { error: 'must be a user id, or "operator"' })
    .optional()
    .describe("A user id, or `operator` for the operator of the deployment"),
  action: AuditAction.optional(),
  from: Moment.optional(),
  until: Moment.optional(),
}).refine(({ from, until }) => !from || !until || from <= until, {
  path: ["until"],
  error: "must not lie before from",
});
export type ListAudit = z.infer<typeof ListAudit>;

export const AuditEntry = z.object({
  id: Id,
  at: Timestamp,
  action: AuditAction,
  byOperator: z.boolean().describe("Whether the operator of the deployment did it, with a command"),
  actor: z
    .object({ userId: Id, name: z.string(), email: z.string() })
    .nullable()
    .describe("Who did it; null for the operator and for a deleted account"),
  targetId: z.string(),
  detail: z.record(z.string(), z.json()),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
