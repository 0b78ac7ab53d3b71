import {
  type ScimGroupContent as GroupContent,
  ScimGroupContent,
  type ScimPatch,
  ScimUserContent,
  type ScimUserContent as UserContent,
} from "@querybell/domain";
import { z } from "zod";
import { ScimError } from "./protocol.ts";

type Operation = ScimPatch["Operations"][number];
type Json = z.infer<ReturnType<typeof z.json>>;

const isRecord = (value: Json | undefined): value is Record<string, Json> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Providers spell attributes in different cases, and Entra puts the schema in front. */
const normalize = (path: string): string =>
  path.replace(/^urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):/i, "").toLowerCase();

const userAttributes = {
  username: "userName",
  externalid: "externalId",
  displayname: "displayName",
  active: "active",
  name: "name",
  emails: "emails",
} as const;

const nameAttributes = { formatted: "formatted", givenname: "givenName", familyname: "familyName" } as const;

function lookUp<Table extends Record<string, string>>(
  table: Table,
  key: string,
): Table[keyof Table] | undefined {
  const found = Object.entries(table).find(([name]) => name === key);
  return found ? (found[1] as Table[keyof Table]) : undefined;
}

/** The user with the changes. What we do not keep is ignored, as providers expect. */
export function patchUser(user: UserContent, { Operations }: ScimPatch): UserContent {
  const changed: Record<string, Json | undefined> = JSON.parse(JSON.stringify(user));
  for (const operation of Operations) {
    for (const [path, value] of changesOf(operation)) applyToUser(changed, path, value);
  }
  return parseContent(ScimUserContent, changed);
}

/** Without a path, the value has the attributes. */
function changesOf({ op, path, value }: Operation): [path: string, value: Json | undefined][] {
  if (path !== undefined) return [[path, op === "remove" ? undefined : value]];
  if (op === "remove" || !isRecord(value)) throw new ScimError(400, "An operation needs a path.", "noTarget");
  return Object.entries(value);
}

function applyToUser(user: Record<string, Json | undefined>, path: string, value: Json | undefined): void {
  const key = normalize(path);
  const attribute = lookUp(userAttributes, key);
  if (attribute === "name") {
    user.name = { ...(isRecord(user.name) ? user.name : {}), ...(isRecord(value) ? value : {}) };
  } else if (attribute) {
    user[attribute] = value;
  } else if (key.startsWith("name.")) {
    const part = lookUp(nameAttributes, key.slice("name.".length));
    if (part) user.name = { ...(isRecord(user.name) ? user.name : {}), [part]: value ?? null };
  } else if (/^emails\[.*\]\.value$/.test(key) && typeof value === "string") {
    user.emails = [{ value, primary: true }];
  }
}

/** The ids of users who join and leave, and the new name. */
export interface GroupChange {
  content: Partial<Pick<GroupContent, "displayName" | "externalId">>;
  /** Replaces all members first. */
  replaceWith?: string[];
  add: string[];
  remove: string[];
}

const Members = z
  .union([
    z.array(z.object({ value: z.string() })),
    z.object({ value: z.string() }).transform((one) => [one]),
  ])
  .transform((members) => members.map(({ value }) => value));
const oneMember = /^members\[value eq "([^"]+)"\]$/i;

export function readGroupChange({ Operations }: ScimPatch): GroupChange {
  const change: GroupChange = { content: {}, add: [], remove: [] };
  for (const operation of Operations) applyToGroup(change, operation);
  return change;
}

function applyToGroup(change: GroupChange, operation: Operation): void {
  const { op, path, value } = operation;
  const [, memberId] = oneMember.exec(path ?? "") ?? [];
  if (memberId !== undefined && op === "remove") {
    leave(change, [memberId]);
    return;
  }
  for (const [name, changed] of path === undefined ? changesOf(operation) : [[path, value] as const]) {
    const key = normalize(name);
    if (key === "members") changeMembers(change, op, changed);
    if (key === "displayname")
      change.content.displayName = parseContent(ScimGroupContent.shape.displayName, changed);
    if (key === "externalid")
      change.content.externalId = parseContent(ScimGroupContent.shape.externalId, changed);
  }
}

function changeMembers(change: GroupChange, op: Operation["op"], value: Json | undefined): void {
  if (op === "remove" && value === undefined) {
    Object.assign(change, { replaceWith: [], add: [], remove: [] });
    return;
  }
  const ids = parseContent(Members, value);
  if (op === "replace") Object.assign(change, { replaceWith: ids, add: [], remove: [] });
  else if (op === "add") join(change, ids);
  else leave(change, ids);
}

// The last operation on a member counts.
function join(change: GroupChange, ids: string[]): void {
  change.remove = change.remove.filter((id) => !ids.includes(id));
  change.add.push(...ids);
}

function leave(change: GroupChange, ids: string[]): void {
  change.add = change.add.filter((id) => !ids.includes(id));
  change.remove.push(...ids);
}

function parseContent<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  const [issue] = error.issues;
  throw new ScimError(400, `${issue?.path.join(".") || "The value"}: ${issue?.message}`, "invalidValue");
}
