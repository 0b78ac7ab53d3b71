import type { Caller, ListItems } from "@querybell/domain";
import { type ItemTable, itemTables } from "./item-kinds.ts";

interface Choice extends Omit<ListItems, "limit" | "cursor" | "search"> {
  /** A query of `to_tsquery`. */
  words: string | undefined;
  /** The sort key of the last item of the page before. */
  after: string[] | undefined;
  take: number;
}

/** A part of a sort key. */
interface KeyPart {
  expression: string;
  type: "text" | "timestamptz" | "uuid";
}

/** The statement that chooses the items of a page: `id` and `sort_key`, in order. It reads along the index of the order. */
export function chooseItems(
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
  choice: Choice,
) {
  const values: unknown[] = [organizationId, userId];
  const bind = (value: unknown): string => `$${values.push(value)}`;
  const kind = itemTables[choice.kind];
  const filters = filtersOf(choice, kind, bind);
  const hasValues = values.length > 2;
  const conditions = [
    "item.organization_id = $1",
    "item.deleted_at IS NULL",
    `NOT (${kind.excluded})`,
    ...filters,
  ];
  const text =
    choice.sort === "creator"
      ? byCreator(choice, { table: kind.table, conditions, bind })
      : byKey(choice, { kind, conditions, bind });
  return { text, values, isRepeated: !hasValues };
}

type Bind = (value: unknown) => string;

function filtersOf(choice: Choice, kind: ItemTable, bind: Bind): string[] {
  const { folderId, words, createdBy, analyticalDatabaseConfigId } = choice;
  const filters: string[] = [];
  if (choice.kind !== "automation")
    filters.push(`item.archived_at IS ${choice.isArchived ? "NOT NULL" : "NULL"}`);
  // No automation is archived.
  else if (choice.isArchived) filters.push("false");
  if (folderId === null && !choice.withSubfolders) filters.push("item.folder_id IS NULL");
  if (folderId) {
    const id = bind(folderId);
    filters.push(
      choice.withSubfolders ? `item.folder_id IN (${foldersBelow(id)})` : `item.folder_id = ${id}`,
    );
  }
  if (createdBy !== undefined) filters.push(`item.created_by = ${bind(createdBy)}`);
  if (analyticalDatabaseConfigId !== undefined) {
    filters.push(kind.usesDatabase(bind(analyticalDatabaseConfigId)));
  }
  if (choice.isFavourite) {
    filters.push(
      `EXISTS (SELECT FROM favourites f WHERE f.user_id = $2 AND f.${kind.favouriteColumn} = item.id)`,
    );
  }
  if (words !== undefined) {
    filters.push(`querybell_search_words(${kind.words}) @@ to_tsquery('simple', ${bind(words)})`);
  }
  return filters;
}

const foldersBelow = (id: string): string => `
  WITH RECURSIVE below AS (
    SELECT id FROM folders WHERE organization_id = $1 AND id = ${id}
    UNION ALL
    SELECT f.id FROM below JOIN folders f ON f.organization_id = $1 AND f.parent_id = below.id)
  SELECT id FROM below`;

interface KeyOrder {
  kind: ItemTable;
  conditions: string[];
  bind: Bind;
}

function byKey({ sort, order, after, take }: Choice, { kind, conditions, bind }: KeyOrder): string {
  const { lastRuns } = kind;
  const id: KeyPart = { expression: "item.id", type: "uuid" };
  const runKey: KeyPart = { expression: `last.${lastRuns.key}`, type: "uuid" };
  const key: KeyPart[] =
    sort === "name"
      ? [{ expression: `lower(${kind.title})`, type: "text" }, id]
      : sort === "updated"
        ? [{ expression: "item.updated_at", type: "timestamptz" }, id]
        : // The reference comes after its query: several have the same last run.
          [
            { expression: "last.last_run_at", type: "timestamptz" },
            runKey,
            ...(lastRuns.itemColumn === "item.id" ? [] : [id]),
          ];
  const from =
    sort === "lastRun"
      ? `${lastRuns.table} last JOIN ${kind.table} item
          ON last.organization_id = $1 AND ${lastRuns.itemColumn} = last.${lastRuns.key}`
      : `${kind.table} item`;
  const isAscending = order === "ascending";
  const parts = key.map(({ expression }) => expression).join(", ");
  if (after) {
    const bound = key.map(({ type }, at) => `${bind(after[at])}::${type}`).join(", ");
    conditions.push(`(${parts}) ${isAscending ? ">" : "<"} (${bound})`);
  }
  return `
    SELECT item.id, ARRAY[${key.map(({ expression }) => `${expression}::text`).join(", ")}] AS sort_key
    FROM ${from} WHERE ${conditions.join(" AND ")}
    ORDER BY ${key.map(({ expression }) => `${expression} ${isAscending ? "ASC" : "DESC"}`).join(", ")} LIMIT ${take}`;
}

interface CreatorOrder {
  table: string;
  conditions: string[];
  bind: Bind;
}

/**
 * By the creator's name, then by the last change, newest first. The creators are found by skipping from one to the next in
 * the index; of each, at most a page is read.
 */
function byCreator({ order, after, take }: Choice, { table, conditions, bind }: CreatorOrder): string {
  const isAscending = order === "ascending";
  const direction = isAscending ? "ASC" : "DESC";
  let creatorsLeft = "true";
  if (after) {
    const [name, creator, updatedAt, id] = after;
    const bound = bind(creator);
    creatorsLeft = `(lower(u.name), u.id) ${isAscending ? ">=" : "<="} (${bind(name)}::text, ${bound}::uuid)`;
    conditions.push(
      `(creator.id <> ${bound}::uuid OR (item.updated_at, item.id) < (${bind(updatedAt)}::timestamptz, ${bind(id)}::uuid))`,
    );
  }
  return `
    SELECT listed.id, ARRAY[creator.name, creator.id::text, listed.updated_at::text, listed.id::text] AS sort_key
    FROM (
      WITH RECURSIVE creators AS (
        (SELECT created_by FROM ${table} WHERE organization_id = $1 AND deleted_at IS NULL ORDER BY created_by LIMIT 1)
        UNION ALL
        SELECT (SELECT t.created_by FROM ${table} t
          WHERE t.organization_id = $1 AND t.deleted_at IS NULL AND t.created_by > c.created_by
          ORDER BY t.created_by LIMIT 1)
        FROM creators c WHERE c.created_by IS NOT NULL)
      SELECT u.id, lower(u.name) AS name FROM creators JOIN users u ON u.id = creators.created_by
      WHERE ${creatorsLeft} ORDER BY lower(u.name) ${direction}, u.id ${direction}
    ) AS creator CROSS JOIN LATERAL (
      SELECT item.id, item.updated_at FROM ${table} item
      WHERE item.created_by = creator.id AND ${conditions.join(" AND ")}
      ORDER BY item.updated_at DESC, item.id DESC LIMIT ${take}
    ) AS listed
    ORDER BY creator.name ${direction}, creator.id ${direction}, listed.updated_at DESC, listed.id DESC LIMIT ${take}`;
}
