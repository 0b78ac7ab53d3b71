import type { Pool } from "@querybell/db";
import {
  AppError,
  attributePlaceholder,
  type Caller,
  isSystemName,
  MemberAttributes,
  type SystemValues,
} from "@querybell/domain";

type Person = Pick<Caller, "organizationId" | "userId">;

/** What the database knows of a person for system values. */
export interface PersonRow {
  email: string;
  /** The names of their groups, sorted. */
  groups: string[];
  attributes: unknown;
}

/** SQL: the columns of a `PersonRow`, of a member `m` with their user `u`. */
export const personColumns = `u.email, m.attributes, ARRAY(
  SELECT g.name FROM group_members gm JOIN groups g ON g.id = gm.group_id
  WHERE gm.organization_id = m.organization_id AND gm.user_id = m.user_id ORDER BY g.name) AS groups`;

export const toSystemValues = ({ email, groups, attributes }: PersonRow): SystemValues => ({
  user_email: email,
  // No group has an empty name, so it stands for no group where SQL needs a list with something in it.
  user_groups: groups.length === 0 ? [""] : groups,
  ...Object.fromEntries(
    Object.entries(MemberAttributes.parse(attributes)).map(([name, value]) => [
      attributePlaceholder(name),
      value,
    ]),
  ),
});

/** The values of these placeholders for the person who runs a query. Throws if one is not set. */
export async function readSystemValues(
  pool: Pick<Pool, "query">,
  { organizationId, userId }: Person,
  placeholders: readonly string[],
): Promise<SystemValues> {
  const names = placeholders.filter(isSystemName);
  if (names.length === 0) return {};
  const { rows } = await pool.query<PersonRow>({
    name: "read_system_values",
    text: `
      SELECT ${personColumns} FROM members m JOIN users u ON u.id = m.user_id
      WHERE m.organization_id = $1 AND m.user_id = $2`,
    values: [organizationId, userId],
  });
  const [row] = rows;
  const known = row ? toSystemValues(row) : {};
  const entries = names.map((name) => {
    const value = known[name];
    if (value === undefined) throw notSet(name);
    return [name, value] as const;
  });
  return Object.fromEntries(entries);
}

const notSet = (name: string) =>
  new AppError(
    "forbidden",
    `This query is filtered by {{${name}}}, which nobody has set for you. Ask an admin to set it.`,
  );

/** The form in which values are stored with a run and compared: each as the text of its JSON. */
export const encodeSystemValues = (values: SystemValues): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => [name, JSON.stringify(value)]),
  );
