import type { LocatePermalink, PermalinkLocation, Person } from "@querybell/domain";
import type { Deps } from "../deps.ts";

const tables: Record<LocatePermalink["kind"], string> = {
  reference: "query_references WHERE deleted_at IS NULL",
  chat: "automation_runs WHERE true",
};

/** Finds which of the person's organizations owns a permalink. Null if none of them does. */
export async function locatePermalink(
  { db }: Pick<Deps, "db">,
  { userId }: Pick<Person, "userId">,
  { kind, shortId }: LocatePermalink,
): Promise<PermalinkLocation> {
  const { rows } = await db.pool.query<NonNullable<PermalinkLocation>>({
    name: `locate_${kind}`,
    text: `
      SELECT o.id AS "organizationId", o.name
      FROM (SELECT organization_id FROM ${tables[kind]} AND short_id = $1) AS found
      JOIN members m ON m.organization_id = found.organization_id AND m.user_id = $2
      JOIN organizations o ON o.id = found.organization_id`,
    values: [shortId, userId],
  });
  return rows[0] ?? null;
}
