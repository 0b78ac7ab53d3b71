import type { RunStatement } from "@querybell/db";
import {
  AppError,
  attributePlaceholder,
  type Caller,
  isSystemName,
  MemberAttributes,
  type SystemValues,
} from "@querybell/domain";

type Person = Pick<Caller, "organizationId" | "userId" | "seenBy">;

/** What the database knows of a person for system values. */
export interface PersonRow {
  email: string;
  /** The names of their groups, sorted. */
  groups: string[];
  attributes: unknown;
  /** The role in each database that has roles for groups, by the id of the database; null: in none of those groups. */
  roles: Record<string, string | null> | null;
}

/** SQL: the columns of a `PersonRow`, of a member `m` with their user `u`. */
export const personColumns = `u.email, m.attributes, ARRAY(
  SELECT g.name FROM group_members gm JOIN groups g ON g.id = gm.group_id
  WHERE gm.organization_id = m.organization_id AND gm.user_id = m.user_id ORDER BY g.name) AS groups, (
  SELECT jsonb_object_agg(d.id, (
    SELECT r.entry->>'role' FROM jsonb_array_elements(d.group_roles) WITH ORDINALITY AS r(entry, place)
    WHERE (r.entry->>'groupId')::uuid IN (
      SELECT gm.group_id FROM group_members gm
      WHERE gm.organization_id = m.organization_id AND gm.user_id = m.user_id)
    ORDER BY r.place LIMIT 1))
  FROM analytical_database_configs d
  WHERE d.organization_id = m.organization_id AND d.group_roles <> '[]') AS roles`;

/** The name under which the role in a database is kept with the system values of a run. No placeholder has it. */
export const roleName = (databaseId: string): string => `role:${databaseId}`;

/**
 * The value by which runs of an admin who sees the organization as somebody else are kept apart: the person does not see
 * them, and the admin only meanwhile. No placeholder has this name.
 */
export const seenByValue = (seenBy: string | undefined): SystemValues =>
  seenBy === undefined ? {} : { seen_by: seenBy };

export const toSystemValues = ({ email, groups, attributes, roles }: PersonRow): SystemValues => ({
  user_email: email,
  // No group has an empty name, so it stands for no group where SQL needs a list with something in it.
  user_groups: groups.length === 0 ? [""] : groups,
  ...Object.fromEntries(
    Object.entries(MemberAttributes.parse(attributes)).map(([name, value]) => [
      attributePlaceholder(name),
      value,
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(roles ?? {}).flatMap(([databaseId, role]) =>
      role === null ? [] : [[roleName(databaseId), role]],
    ),
  ),
});

/** What a statement needs to know of the person who runs it. */
interface NeededValues {
  placeholders: readonly string[];
  /** The database, if it has roles for groups. */
  databaseWithRoles?: string | undefined;
}

/** The values of the person who runs a query that it needs. Throws if one is not set. */
export async function readSystemValues(
  runStatement: RunStatement,
  { organizationId, userId, seenBy }: Person,
  { placeholders, databaseWithRoles }: NeededValues,
): Promise<SystemValues> {
  const names = placeholders.filter(isSystemName);
  if (databaseWithRoles !== undefined) names.push(roleName(databaseWithRoles));
  if (names.length === 0) return {};
  const [row] = await runStatement<PersonRow>({
    name: "read_system_values",
    text: `
      SELECT ${personColumns} FROM members m JOIN users u ON u.id = m.user_id
      WHERE m.organization_id = $1::uuid AND m.user_id = $2::uuid`,
    values: [organizationId, userId],
  });
  const known = row ? toSystemValues(row) : {};
  const entries = names.map((name) => {
    const value = known[name];
    if (value === undefined) throw notSet(name);
    return [name, value] as const;
  });
  return { ...Object.fromEntries(entries), ...seenByValue(seenBy) };
}

const notSet = (name: string) => new AppError("forbidden", reasonNotSet(name));

function reasonNotSet(name: string): string {
  if (!isSystemName(name)) {
    return "On this database, queries run with the role of a group, and you are in none of those groups. Ask an admin.";
  }
  const small = name.toLowerCase();
  if (name !== small) return `{{${name}}} has no value. Write it in small letters: {{${small}}}.`;
  return `This query is filtered by {{${name}}}, which nobody has set for you. Ask an admin to set it.`;
}

/** The form in which values are stored with a run and compared: each as the text of its JSON. */
export const encodeSystemValues = (values: SystemValues): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, JSON.stringify(value)]),
  );
