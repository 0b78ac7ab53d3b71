import type { Outputs } from "@querybell/client";

type Entry = Outputs["audit"]["list"]["items"][number];

/** What each action is called on the page. */
export const actionLabels: Record<Entry["action"], string> = {
  "organization.created": "Organization created",
  "settings.changed": "Setting changed",
  "member.joined": "Member joined",
  "member.role_changed": "Role changed",
  "member.removed": "Member removed",
  "member.password_reset_link_created": "Password link created",
  "invitation.created": "Invitation created",
  "invitation.revoked": "Invitation revoked",
  "api_key.created": "API key created",
  "api_key.revoked": "API key revoked",
  "model.changed": "Model changed, with consent",
  "model.removed": "Model removed",
  "model_usage.corrected": "Used tokens corrected",
  "database.created": "Database added",
  "database.changed": "Database changed",
  "database.deleted": "Database deleted",
  "uploaded_table.created": "Table made of a file",
  "uploaded_table.replaced": "Table replaced by a file",
  "uploaded_table.appended": "File added to a table",
  "uploaded_table.dropped": "Table dropped",
  "webhook_endpoint.created": "Endpoint created",
  "webhook_endpoint.changed": "Endpoint changed",
  "webhook_endpoint.disabled": "Endpoint disabled",
  "webhook_endpoint.enabled": "Endpoint enabled",
  "webhook_endpoint.deleted": "Endpoint deleted",
  "webhook_secret.rotated": "Signing secret rotated",
  "webhook_secret.switched": "Signing secret switched",
  "webhook_recovery.started": "Recovery started",
  "webhook_recovery.cancelled": "Recovery cancelled",
};

export const actionNames = Object.keys(actionLabels) as Entry["action"][];

/** The actor of an entry, as text. */
export const actorText = ({ byOperator, actor }: Entry): string =>
  byOperator ? "The operator" : (actor?.name ?? "Somebody whose account is gone");

const settingLabels: Record<string, string> = {
  name: "Name",
  webhooksEnabled: "Webhooks",
  restCompatibility: "REST compatibility",
  restSunsetAt: "Date on which the REST routes retire",
  resultLifetimeSeconds: "Lifetime of results (seconds)",
  uploadsBy: "Who uploads files",
};

/** An entry's details on one line: the old and new values of a change, or names with values. */
export function detailText(detail: Entry["detail"]): string {
  const { setting, from, to, ...rest } = detail;
  const change = "to" in detail ? [`${shown(from)} → ${shown(to)}`] : [];
  const named = typeof setting === "string" ? [`${settingLabels[setting] ?? setting}:`] : [];
  const others = Object.entries(rest).map(([name, value]) => `${wordsOf(name)}: ${shown(value)}`);
  return [[...named, ...change].join(" "), ...others].filter((text) => text !== "").join(" · ");
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
