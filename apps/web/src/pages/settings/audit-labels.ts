import type { Outputs } from "@querybell/client";

export type Entry = Outputs["audit"]["list"]["items"][number];
type Action = Entry["action"];

/** What each action is called on the page. */
export const actionLabels: Record<Action, string> = {
  "organization.created": "Organization created",
  "organization.deletion_requested": "Deletion of the organization requested",
  "organization.deletion_cancelled": "Deletion of the organization cancelled",
  "settings.changed": "Setting changed",
  "member.joined": "Member joined",
  "member.role_changed": "Role changed",
  "member.removed": "Member removed",
  "member.disabled": "Account disabled",
  "member.enabled": "Account enabled",
  "member.sessions_ended": "Sessions of a member ended",
  "sessions.ended": "Sessions of everybody ended",
  "member.seen_as": "Seen as a member",
  "member.attributes_changed": "Attributes of a member changed",
  "member.password_reset_link_created": "Password link created",
  "member.second_factor_added": "Second factor added",
  "member.second_factor_removed": "Second factor removed",
  "member.second_factor_reset_requested": "Removal of a second factor requested",
  "member.second_factor_reset_cancelled": "Removal of a second factor cancelled",
  "member.second_factor_reset": "Second factor removed for a member",
  "single_sign_on.changed": "Single sign-on changed",
  "single_sign_on.removed": "Single sign-on removed",
  "single_sign_on.enforced": "Single sign-on demanded",
  "single_sign_on.optional": "Single sign-on not demanded any more",
  "domain.added": "Domain added",
  "domain.proven": "Domain proven",
  "domain.removed": "Domain removed",
  "scim_token.created": "Token for provisioning created",
  "scim_token.deleted": "Token for provisioning deleted",
  "folder_access.changed": "Access to a folder changed",
  "group_roles.changed": "Roles of groups in a database changed",
  "row_policies.changed": "Row policies of a database changed",
  "database_access.changed": "Access to a database changed",
  "group.created": "Group created",
  "group.renamed": "Group renamed",
  "group.deleted": "Group deleted",
  "group.members_changed": "Members of a group changed",
  "service_account.created": "Service account created",
  "invitation.created": "Invitation created",
  "invitation.revoked": "Invitation revoked",
  "api_key.created": "API key created",
  "api_key.revoked": "API key revoked",
  "program.connected": "Program connected",
  "program.disconnected": "Program disconnected",
  "model.changed": "Model changed, with consent",
  "model.removed": "Model removed",
  "model_usage.corrected": "Used tokens corrected",
  "database.created": "Database added",
  "database.changed": "Database changed",
  "database.deleted": "Database deleted",
  "database.described": "Table or column described",
  "sample_shop.created": "Sample shop added",
  "sample_shop.deleted": "Sample shop removed",
  "uploaded_table.created": "Table made of a file",
  "uploaded_table.replaced": "Table replaced by a file",
  "uploaded_table.appended": "File added to a table",
  "uploaded_table.updated": "Rows of a table updated by a file",
  "uploaded_table.dropped": "Table dropped",
  "destination.created": "Destination created",
  "destination.changed": "Destination changed",
  "destination.disabled": "Destination disabled",
  "destination.enabled": "Destination enabled",
  "destination.deleted": "Destination deleted",
  "webhook_endpoint.created": "Endpoint created",
  "webhook_endpoint.changed": "Endpoint changed",
  "webhook_endpoint.disabled": "Endpoint disabled",
  "webhook_endpoint.enabled": "Endpoint enabled",
  "webhook_endpoint.deleted": "Endpoint deleted",
  "webhook_secret.rotated": "Signing secret rotated",
  "webhook_secret.switched": "Signing secret switched",
  "webhook_recovery.started": "Recovery started",
  "webhook_recovery.cancelled": "Recovery cancelled",
  "event_subscription.created": "Program subscribed to events",
  "event_subscription.ended": "Subscription of a program ended",
  "query.created": "Query created",
  "query.changed": "Query changed",
  "query.parameters_changed": "Parameters of a query changed",
  "query.moved": "Query moved",
  "query.archived": "Query archived",
  "query.unarchived": "Query taken out of the archive",
  "query.deleted": "Query deleted",
  "query.restored": "Deletion of a query undone",
  "reference.created": "Chart created",
  "reference.changed": "Chart changed",
  "reference.moved": "Chart moved",
  "reference.archived": "Chart archived",
  "reference.unarchived": "Chart taken out of the archive",
  "reference.deleted": "Chart deleted",
  "reference.restored": "Deletion of a chart undone",
  "automation.created": "Automation created",
  "automation.changed": "Automation changed",
  "automation.moved": "Automation moved",
  "automation.condition_acknowledged": "Condition of an automation acknowledged",
  "automation.condition_snoozed": "Condition of an automation snoozed",
  "automation.condition_unsnoozed": "Snooze of a condition ended",
  "automation.deleted": "Automation deleted",
  "automation.restored": "Deletion of an automation undone",
  "dashboard.created": "Dashboard created",
  "dashboard.changed": "Dashboard changed",
  "dashboard.moved": "Dashboard moved",
  "dashboard.archived": "Dashboard archived",
  "dashboard.unarchived": "Dashboard taken out of the archive",
  "dashboard.deleted": "Dashboard deleted",
  "dashboard.restored": "Deletion of a dashboard undone",
  "public_link.created": "Public link made",
  "public_link.changed": "Public link changed",
  "public_link.published": "Public page updated",
  "public_link.rotated": "Address of a public link changed",
  "public_link.revoked": "Public link revoked",
  "embedding_key.created": "Embedding key added",
  "embedding_key.changed": "Embedding key changed",
  "embedding_key.rotated": "Embedding key replaced",
  "embedding_key.revoked": "Embedding key revoked",
  "folder.created": "Folder created",
  "folder.changed": "Folder changed",
  "folder.deleted": "Folder deleted",
  "result.downloaded": "Result downloaded",
  "audit_log.exported": "Audit log exported",
  "export.created": "Export of everything started",
  "export.deleted": "Export of everything deleted",
  "export.downloaded": "Export of everything downloaded",
};

const groupLabels: Record<string, string> = {
  query: "Queries",
  reference: "Charts",
  automation: "Automations",
  folder: "Folders",
  result: "Downloads",
  audit_log: "Downloads",
  export: "Downloads",
  database: "Databases",
  sample_shop: "Databases",
  uploaded_table: "Databases",
  destination: "Destinations",
  webhook_endpoint: "Webhooks",
  webhook_secret: "Webhooks",
  webhook_recovery: "Webhooks",
  event_subscription: "Webhooks",
};

export const actionNames = Object.keys(actionLabels) as Action[];

const groupOf = (action: Action): string => groupLabels[action.split(".")[0] ?? ""] ?? "Organization";

/** The actions in groups, for the filter. */
export const actionGroups = [...new Set(actionNames.map(groupOf))].map((group) => ({
  group,
  items: actionNames
    .filter((action) => groupOf(action) === group)
    .map((value) => ({ value, label: actionLabels[value] })),
}));

/** The actor of an entry, as text. */
export const actorText = ({ byOperator, actor, keyId }: Entry): string => {
  const name = byOperator ? "The operator" : (actor?.name ?? "Deleted user");
  return keyId === null ? name : `${name}, with an API key`;
};

const settingLabels: Record<string, string> = {
  name: "Name",
  webhooksEnabled: "Webhooks",
  restCompatibility: "REST compatibility",
  secondFactorFor: "Second factor",
  restSunsetAt: "Date on which the REST routes retire",
  resultLifetimeSeconds: "Lifetime of results (seconds)",
  expiredResultDays: "Expired results (days)",
  historyDays: "Past results (days)",
  uploadsBy: "Who uploads files",
  helpSeesRows: "Whether help with SQL sends rows",
  keysRunSql: "Whether API keys run SQL of their own",
  publicLinks: "Whether members make public links",
  embedding: "Whether applications embed charts and dashboards",
};

/** An entry's details on one line: the old and new values of a change, or names with values. */
export function detailText(detail: Entry["detail"]): string {
  const { setting, from, to, ...others } = detail;
  // An address is null once it is erased.
  const rest = others.email === null ? { ...others, email: "deleted user" } : others;
  const change = "to" in detail ? [`${shown(from)} → ${shown(to)}`] : [];
  const named = typeof setting === "string" ? [`${settingLabels[setting] ?? setting}:`] : [];
  const values = Object.entries(rest).map(([name, value]) => `${wordsOf(name)}: ${shown(value)}`);
  return [[...named, ...change].join(" "), ...values].filter((text) => text !== "").join(" · ");
}

const wordsOf = (name: string): string =>
  name === "url"
    ? "URL"
    : name
        .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
        .replace(/^./, (letter) => letter.toUpperCase());

function shown(value: unknown): string {
  if (value === null || value === undefined || value === "") return "none";
  if (value === true) return "on";
  if (value === false) return "off";
  if (Array.isArray(value)) return value.map(shown).join(", ") || "none";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
