import { toAppError } from "@querybell/db";
import { type Caller, type Favourite, newId, type SetFavourite } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { itemTables } from "./item-kinds.ts";
import { itemNotFound } from "./list-items.ts";

const columns = {
  query: "query_id",
  reference: "reference_id",
  automation: "automation_id",
  dashboard: "dashboard_id",
  folder: "folder_id",
};
const maxFavourites = 200;

/** Marks an item or a folder as a favourite of the caller, or not. Doing it twice changes nothing. */
export async function setFavourite(
  { db, clock }: Deps,
  { organizationId, userId }: Caller,
  { kind, id, isFavourite }: SetFavourite,
): Promise<void> {
  const column = columns[kind];
  const values = [organizationId, userId, id];
  if (!isFavourite) {
    await db.pool.query(
      `DELETE FROM favourites WHERE organization_id = $1 AND user_id = $2 AND ${column} = $3`,
      values,
    );
    return;
  }
  const exists =
    kind === "folder"
      ? "SELECT id FROM folders WHERE organization_id = $1 AND id = $3"
      : `SELECT item.id FROM ${itemTables[kind].table} item
         WHERE item.organization_id = $1 AND item.id = $3 AND item.deleted_at IS NULL`;
  const insertion = db.pool.query<{ exists: boolean }>(
    `WITH found AS (${exists}), inserted AS (
       INSERT INTO favourites (id, organization_id, user_id, ${column}, created_at)
       SELECT $4, $1, $2, found.id, $5 FROM found
       ON CONFLICT DO NOTHING
     )
     SELECT EXISTS (SELECT FROM found) AS exists`,
    [...values, newId(clock), clock.now()],
  );
  // A trigger refuses more than a member may have.
  const { rows } = await insertion.catch((error: unknown) => {
    throw toAppError(error) ?? error;
  });
  if (!rows[0]?.exists) throw itemNotFound();
}

/** The caller's favourites of every kind, newest first, without deleted and archived items. */
export async function listFavourites(
  { db }: Pick<Deps, "db">,
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
): Promise<Favourite[]> {
  const { rows } = await db.pool.query<Favourite>({
    name: "list_favourites",
    text: `
      SELECT listed.kind, listed.id, listed."shortId", listed.title
      FROM favourites f CROSS JOIN LATERAL (
        SELECT 'query' AS kind, item.id, NULL AS "shortId", ${itemTables.query.title} AS title
        FROM queries item WHERE item.id = f.query_id AND item.deleted_at IS NULL AND item.archived_at IS NULL
        UNION ALL
        SELECT 'reference', item.id, item.short_id, item.title
        FROM query_references item
        WHERE item.id = f.reference_id AND item.deleted_at IS NULL AND item.archived_at IS NULL
        UNION ALL
        SELECT 'automation', item.id, NULL, item.name
        FROM automations item WHERE item.id = f.automation_id AND item.deleted_at IS NULL
        UNION ALL
        SELECT 'dashboard', item.id, NULL, item.title
        FROM dashboards item WHERE item.id = f.dashboard_id AND item.deleted_at IS NULL AND item.archived_at IS NULL
        UNION ALL
        SELECT 'folder', item.id, NULL, item.name FROM folders item WHERE item.id = f.folder_id
      ) AS listed
      WHERE f.organization_id = $1 AND f.user_id = $2
      ORDER BY f.created_at DESC, f.id DESC LIMIT ${maxFavourites}`,
    values: [organizationId, userId],
  });
  return rows;
}
