import { z } from "zod";
import { Id } from "./ids.ts";
import { ListPage } from "./pages.ts";
import { Moment, Timestamp } from "./time.ts";

export const AuditAction = z.enum([
  "organization.created",
  "organization.deletion_requested",
  "organization.deletion_cancelled",
  "settings.changed",
  "member.joined",
  "member.role_changed",
  "member.removed",
  "member.disabled",
  "member.enabled",
  "member.sessions_ended",
  "sessions.ended",
  "member.seen_as",
  "member.attributes_changed",
  "member.password_reset_link_created",
  "member.second_factor_added",
  "member.second_factor_removed",
  "member.second_factor_reset_requested",
  "member.second_factor_reset_cancelled",
  "member.second_factor_reset",
  "single_sign_on.changed",
  "single_sign_on.removed",
  "single_sign_on.enforced",
  "single_sign_on.optional",
  "domain.added",
  "domain.proven",
  "domain.removed",
  "scim_token.created",
  "scim_token.deleted",
  "folder_access.changed",
  "database_access.changed",
  "row_policies.changed",
  "group_roles.changed",
  "group.created",
  "group.renamed",
  "group.deleted",
  "group.members_changed",
  "service_account.created",
  "invitation.created",
  "invitation.revoked",
  "api_key.created",
  "api_key.revoked",
  "program.connected",
  "program.disconnected",
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
  "destination.created",
  "destination.changed",
  "destination.disabled",
  "destination.enabled",
  "destination.deleted",
  "webhook_endpoint.created",
  "webhook_endpoint.changed",
  "webhook_endpoint.disabled",
  "webhook_endpoint.enabled",
  "webhook_endpoint.deleted",
  "webhook_secret.rotated",
  "webhook_secret.switched",
  "webhook_recovery.started",
  "webhook_recovery.cancelled",
  "event_subscription.created",
  "event_subscription.ended",
  "query.created",
  "query.changed",
  "query.parameters_changed",
  "query.moved",
  "query.archived",
  "query.unarchived",
  "query.deleted",
  "query.restored",
  "reference.created",
  "reference.changed",
  "reference.moved",
  "reference.archived",
  "reference.unarchived",
  "reference.deleted",
  "reference.restored",
  "automation.created",
  "automation.changed",
  "automation.moved",
  "automation.condition_acknowledged",
  "automation.condition_snoozed",
  "automation.condition_unsnoozed",
  "automation.deleted",
  "automation.restored",
  "dashboard.created",
  "dashboard.changed",
  "dashboard.moved",
  "dashboard.archived",
  "dashboard.unarchived",
  "dashboard.deleted",
  "dashboard.restored",
  "public_link.created",
  "public_link.changed",
  "public_link.published",
  "public_link.rotated",
  "public_link.revoked",
  "embedding_key.created",
  "embedding_key.changed",
  "embedding_key.rotated",
  "embedding_key.revoked",
  "folder.created",
  "folder.changed",
  "folder.deleted",
  "result.downloaded",
  "audit_log.exported",
  "export.created",
  "export.deleted",
  "export.downloaded",
]);
export type AuditAction = z.infer<typeof AuditAction>;

const filters = {
  actor: z
    .union([Id, z.literal("operator")], { error: 'must be a user id, or "operator"' })
    .optional()
    .describe("A user id, or `operator` for the operator of the deployment"),
  action: AuditAction.optional(),
  targetId: z
    .string()
    .min(1, "must not be empty")
    .max(200, "must have at most 200 characters")
    .optional()
    .describe("What was changed: the `targetId` of an entry, for example the id of a query"),
  from: Moment.optional(),
  until: Moment.optional(),
};

const isOrdered = ({ from, until }: { from?: string | undefined; until?: string | undefined }): boolean =>
  !from || !until || from <= until;
const untilBeforeFrom = { path: ["until"], error: "must not lie before from" };

/** Every filter is optional. */
export const ListAudit = ListPage.extend(filters).refine(isOrdered, untilBeforeFrom);
export type ListAudit = z.infer<typeof ListAudit>;

export const AuditExportFormat = z.enum(["csv", "jsonl"]);
export type AuditExportFormat = z.infer<typeof AuditExportFormat>;

/** The same filters, without pages. */
export const ExportAudit = z.strictObject(filters).refine(isOrdered, untilBeforeFrom);
export type ExportAudit = z.infer<typeof ExportAudit>;

export const AuditEntry = z.object({
  id: Id,
  at: Timestamp,
  action: AuditAction,
  byOperator: z.boolean().describe("Whether the operator of the deployment did it, with a command"),
  actor: z
    .object({ userId: Id, name: z.string(), email: z.string() })
    .nullable()
    .describe("Who did it; null for the operator and for a deleted account"),
  keyId: Id.nullable().describe("The API key with which it was done; null without one"),
  targetId: z.string(),
  detail: z.record(z.string(), z.json()),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
