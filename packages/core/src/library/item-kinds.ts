import type { ItemKind } from "@querybell/domain";

/** Where the items of a kind are. The SQL uses the alias `item`. */
export interface ItemTable {
  table: "queries" | "query_references" | "automations" | "dashboards";
  /** The same expression as in the index of the list, without `lower`. */
  title: string;
  /** The same expression as in the index of the search. */
  words: string;
  /** The column of `favourites`. */
  favouriteColumn: string;
  /** The condition that it uses the database that `value` stands for. */
  usesDatabase: (value: string) => string;
  /** The table of last runs, its key, and the column of the item that refers to it. */
  lastRuns: { table: string; key: string; itemColumn: string };
  /** Never listed. */
  excluded: string;
}

const queryLastRuns = { table: "query_last_runs", key: "query_id" };

export const itemTables: Record<ItemKind, ItemTable> = {
  query: {
    table: "queries",
    title: "coalesce(item.name, left(btrim(split_part(btrim(item.sql, E' \\t\\r\\n'), E'\\n', 1)), 200))",
    words: "coalesce(item.name, '') || ' ' || coalesce(item.description, '') || ' ' || item.sql",
    favouriteColumn: "query_id",
    usesDatabase: (value) => `item.analytical_database_config_id = ${value}`,
    lastRuns: { ...queryLastRuns, itemColumn: "item.id" },
    excluded: "false",
  },
  reference: {
    table: "query_references",
    title: "item.title",
    words: "item.title || ' ' || coalesce(item.description, '')",
    favouriteColumn: "reference_id",
    usesDatabase: (value) =>
      `EXISTS (SELECT FROM queries q WHERE q.id = item.query_id AND q.analytical_database_config_id = ${value})`,
    lastRuns: { ...queryLastRuns, itemColumn: "item.query_id" },
    // Optimistic.
    excluded: "item.query_id IS NULL",
  },
  automation: {
    table: "automations",
    title: "item.name",
    words: "item.name || ' ' || item.instruction",
    favouriteColumn: "automation_id",
    usesDatabase: (value) => `EXISTS (
      SELECT FROM automation_references a JOIN query_references r ON r.id = a.reference_id JOIN queries q ON q.id = r.query_id
      WHERE a.automation_id = item.id AND q.analytical_database_config_id = ${value})`,
    lastRuns: { table: "automation_last_runs", key: "automation_id", itemColumn: "item.id" },
    excluded: "false",
  },
  dashboard: {
    table: "dashboards",
    title: "item.title",
    words: "item.title || ' ' || coalesce(item.description, '')",
    favouriteColumn: "dashboard_id",
    usesDatabase: (value) => `EXISTS (
      SELECT FROM dashboard_references u JOIN query_references r ON r.id = u.reference_id JOIN queries q ON q.id = r.query_id
      WHERE u.dashboard_id = item.id AND q.analytical_database_config_id = ${value})`,
    lastRuns: { table: "dashboards", key: "id", itemColumn: "item.id" },
    excluded: "false",
  },
};
