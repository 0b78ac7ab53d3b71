import { createStatementNames } from "@querybell/db";
import {
  AppError,
  type Caller,
  type ItemId,
  type ItemKind,
  type LibraryItem,
  type ListItems,
  type Page,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { jsonTimestamp } from "../json-timestamp.ts";
import { openCursor } from "../paging/live-page.ts";
import { prefixQuery } from "../search.ts";
import { itemTables } from "./item-kinds.ts";
import { chooseItems } from "./item-order.ts";

type Row = LibraryItem & { sortKey: string[] };
type Reading = Pick<Deps, "db">;
type Member = Pick<Caller, "organizationId" | "userId">;

/** A live list of one kind of items, sorted and filtered. One statement a page, along the index of the order. */
export async function listItems(
  deps: Pick<Deps, "db" | "cursors">,
  caller: Member,
  { limit, cursor, search, ...input }: ListItems,
): Promise<Page<LibraryItem>> {
  const words = search === undefined ? undefined : prefixQuery(search);
  // Without a letter or digit, nothing can match.
  if (search !== undefined && words === undefined) return { items: [] };
  const { organizationId, userId } = caller;
  const filter = JSON.stringify(
    { ...input, words, userId },
    [...Object.keys(input), "words", "userId"].sort(),
  );
  const sequence = { list: "items", organizationId, filter };
  const after =
    cursor === undefined ? undefined : openCursor(() => deps.cursors.openSorted(sequence, cursor));
  const rows = await readItems(
    deps,
    input.kind,
    chooseItems(caller, { ...input, words, after, take: limit + 1 }),
  );
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const items = shown.map(withoutKey);
  return rows.length > limit && last
    ? { items, nextCursor: deps.cursors.sealSorted(sequence, last.sortKey) }
    : { items };
}

/** One item as the list shows it. */
export async function getItem(deps: Reading, { organizationId, userId }: Member, { kind, id }: ItemId) {
  const { table, excluded } = itemTables[kind];
  const [row] = await readItems(deps, kind, {
    text: `
      SELECT item.id, ARRAY[]::text[] AS sort_key FROM ${table} item
      WHERE item.organization_id = $1 AND item.id = $3 AND item.deleted_at IS NULL
        AND NOT (${excluded})`,
    values: [organizationId, userId, id],
    isRepeated: true,
  });
  if (!row) throw itemNotFound();
  return withoutKey(row);
}

export const itemNotFound = () =>
  new AppError("not_found", "There is no such item in this organization. It may have been deleted.");

const withoutKey = ({ sortKey: _, ...item }: Row): LibraryItem => item;

const nameOf = createStatementNames("list_items", 200);

interface ChosenItems {
  /** Selects `id` and `sort_key` in order. $1 is the organization, $2 the member. */
  text: string;
  values: unknown[];
  /** Whether one plan fits all values: those of a filter decide which index is read, those of a cursor do not. */
  isRepeated: boolean;
}

/** Reads the chosen items with what the list shows of them. */
async function readItems({ db }: Reading, kind: ItemKind, chosen: ChosenItems): Promise<Row[]> {
  const { table, title, favouriteColumn, lastRuns } = itemTables[kind];
  // The tables themselves: what is chosen is seen by the caller, and checking it again takes time.
  const text = `
      WITH chosen AS MATERIALIZED (${chosen.text}),
        page AS MATERIALIZED (SELECT id, sort_key, row_number() OVER () AS position FROM chosen)
      SELECT '${kind}' AS kind, item.id, ${title} AS title, item.folder_id AS "folderId",
        EXISTS (SELECT FROM favourites f WHERE f.user_id = $2 AND f.${favouriteColumn} = item.id) AS "isFavourite",
        item.created_by AS "createdBy", ${jsonTimestamp("item.created_at")} AS "createdAt",
        ${jsonTimestamp("item.updated_at")} AS "updatedAt",
        CASE WHEN isfinite(last.last_run_at) THEN ${jsonTimestamp("last.last_run_at")} END AS "lastRunAt",
        ${details[kind]}, page.sort_key AS "sortKey"
      FROM page JOIN public.${table} item ON item.id = page.id
        LEFT JOIN ${lastRuns.table} last ON last.${lastRuns.key} = ${lastRuns.itemColumn}
      ORDER BY page.position`;
  const name = chosen.isRepeated ? nameOf(text) : "";
  const { rows } = await db.pool.query<Row>({ name, text, values: chosen.values });
  return rows;
}

const ofAutomation = (condition: string, more = ""): string => `(
  SELECT json_build_object('shortId', r.short_id, 'status', r.status,
    'isQueued', r.status = 'pending' AND r.ready_at IS NULL,
    'failure', CASE WHEN r.failure_code IS NOT NULL THEN
      json_build_object('code', r.failure_code, 'reason', r.failure_reason) END,
    'runAt', ${jsonTimestamp("r.created_at")}, 'completedAt', ${jsonTimestamp("r.completed_at")}${more})
  FROM public.automation_runs r WHERE r.automation_id = item.id AND ${condition}
  ORDER BY r.created_at DESC, r.id DESC LIMIT 1)`;

const details: Record<ItemKind, string> = {
  query: `
    item.description, item.archived_at IS NOT NULL AS "isArchived", item.name IS NOT NULL AS "isNamed",
    left(item.sql, 200) AS sql, item.analytical_database_config_id AS "analyticalDatabaseConfigId", (
      SELECT json_build_object('status', r.status, 'failureCode', r.failure_code) FROM public.query_runs r
      WHERE r.query_id = item.id AND has_own_values(r.system_values) ORDER BY r.created_at DESC, r.id DESC LIMIT 1) AS "latestRun"`,
  reference: `
    item.description, item.archived_at IS NOT NULL AS "isArchived", item.short_id AS "shortId",
    item.query_id AS "queryId", (
      SELECT q.analytical_database_config_id FROM public.queries q WHERE q.id = item.query_id) AS "analyticalDatabaseConfigId"`,
  dashboard: `
    item.description, item.archived_at IS NOT NULL AS "isArchived", (
      SELECT count(*)::int FROM dashboard_references u WHERE u.dashboard_id = item.id) AS charts`,
  automation: `
    item.enabled, item.schedule, ${jsonTimestamp("item.next_run_at")} AS "nextRunAt", (
      SELECT s.status::text FROM automation_condition_states s WHERE s.automation_id = item.id) AS "conditionStatus",
    ${ofAutomation("true")} AS "latestRun",
    ${ofAutomation("r.status IN ('completed', 'failed')", ", 'agent', r.agent, 'summary', left(r.summary, 500)")} AS "latestEndedRun"`,
};
