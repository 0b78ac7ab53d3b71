import { z } from "zod";
import { Id } from "./ids.ts";
import { Timestamp } from "./timestamp.ts";

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
  "database.created",
  "database.changed",
  "database.deleted",
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

export const AuditEntry = z.object({
  id: Id,
  at: Timestamp,
  action: AuditAction,
  /** Who did it; null for the operator of the deployment. */
  actor: z.object({ userId: Id, name: z.string(), email: z.string() }).nullable(),
  targetId: z.string(),
  detail: z.record(z.string(), z.json()),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
