import { withConnection } from "@querybell/test-database";

/** Tables that do not grow with use: their rows are processes, migrations, single facts, or one a night. */
const bounded = [
  "_prisma_migrations",
  "backups",
  "open_subscriptions",
  "processes",
  "transaction_origin",
  "webhook_pumps",
  "worker_heartbeats",
];

/** Which rows of a table are copied, if not all: most history is finished, and only a little is not. */
const copiedRows: Record<string, string> = {
  query_runs: "completed_at IS NOT NULL",
  automation_runs: "completed_at IS NOT NULL",
  automation_steps: "ended_at IS NOT NULL",
  webhook_deliveries: "state NOT IN ('pending', 'held')",
  webhook_recoveries: "state <> 'running'",
};

/**
 * Tables of which one owner (an organization, endpoint, query or person) has many rows. Copies of other rows
 * belong to copies of their owners.
 */
const heldInBulk = [
  "audit_entries",
  "automation_runs",
  "automations",
  "notifications",
  "past_results",
  "queries",
  "query_parameters",
  "query_references",
  "query_results",
  "query_runs",
  "query_versions",
  "row_versions",
  "webhook_attempts",
  "webhook_deliveries",
  "webhook_events",
];

/** Values of copies that a check of the table requires to have a certain form. */
const checkedValues: Record<string, string> = {
  short_id: "translate(substr(md5(t.short_id || n), 1, length(t.short_id)), '01', 'xy')",
};

const timestamp = "timestamp with time zone";

interface Column {
  table: string;
  name: string;
  type: string;
  /** Filled by the database. */
  isGenerated: boolean;
  /** The unique indexes that it is in. */
  uniqueIndexes: string[];
  /** Refers to another table. */
  isForeignKey: boolean;
}

interface Multiplication {
  /** About how many rows each table has afterwards. */
  rowCount: number;
  /** The copies are up to so many days older than the originals. */
  days: number;
  /** All tables by default. */
  tables?: readonly string[];
}

/**
 * Copies the rows of tables, as if the same had happened many times, and updates the statistics. Copies keep
 * their parents, such as the organization or the endpoint, so these have many rows too. Only a superuser may
 * write rows without their triggers and foreign keys. Returns the tables and partitions that have grown, and
 * the tables that had no row to copy.
 */
export async function multiplyRows(superuserUrl: string, { rowCount, days, tables }: Multiplication) {
  const growing: string[] = [];
  const empty: string[] = [];
  await withConnection(superuserUrl, async (client) => {
    await client.query(copyIdFunction);
    const columns = (await client.query<Column>(listColumns, [bounded])).rows;
    await client.query("SET auto_explain.log_min_duration = -1");
    // Without triggers and foreign keys: the originals have passed them.
    await client.query("SET session_replication_role = replica");
    for (const [table, its] of Map.groupBy(columns, (column) => column.table)) {
      if (tables && !tables.includes(table)) continue;
      const { rowCount: copied } = await client.query(copyStatement(table, its), [rowCount, days]);
      if (copied && copied < rowCount / 10) throw new Error(`Only ${copied} copies in ${table} are unique.`);
      (copied ? growing : empty).push(table);
    }
    await client.query("VACUUM (ANALYZE)");
    const grown = await client.query<{ name: string }>(listGrownPartitions, [growing, rowCount / 10]);
    growing.push(...grown.rows.map(({ name }) => name));
  });
  return { growing, empty };
}

/**
 * The id of the n-th copy of a row: the same in every reference, and shifted in time like the row's times.
 */
const copyIdFunction = `
  CREATE FUNCTION pg_temp.copy_id(id uuid, n bigint, age interval) RETURNS uuid LANGUAGE sql STABLE AS $$
    SELECT (lpad(to_hex(((extract(epoch FROM coalesce(uuid_extract_timestamp(id), now())) - extract(epoch FROM age)) * 1000)::bigint), 12, '0')
      || '7' || substr(md5(id::text || n), 1, 3) || '8' || substr(md5(id::text || n), 4, 15))::uuid
  $$`;
/**
 * How much older the n-th copy is. The same in all tables, so that ids agree, and spread over all days also where there
 * are few copies of each row.
 */
const age = "((n * 7919 % $1::bigint) * interval '1 day' * $2::float / $1)";

const listColumns = `
  SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, NULL) AS type,
    a.attgenerated <> '' OR coalesce(pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval%', false) AS "isGenerated",
    ARRAY(SELECT i.indexrelid::text FROM pg_index i
      WHERE i.indrelid = c.oid AND i.indisunique AND i.indpred IS NULL AND a.attnum = ANY(i.indkey)) AS "uniqueIndexes",
    EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'f' AND a.attnum = ANY(k.conkey)) AS "isForeignKey"
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> ALL($1)
  ORDER BY c.relname, a.attnum`;

/** A new partition has few rows, and Postgres reads it from end to end until it has more. */
const listGrownPartitions = `
  SELECT p.relname AS name FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid JOIN pg_class t ON t.oid = i.inhparent
  WHERE t.relnamespace = 'public'::regnamespace AND t.relkind = 'p' AND t.relname = ANY($1) AND p.reltuples >= $2`;

function copyStatement(table: string, columns: Column[]): string {
  const written = columns.filter(({ isGenerated }) => !isGenerated);
  const varied = variedColumns(table, columns);
  const where = copiedRows[table] ?? "true";
  return `
    INSERT INTO "${table}" (${written.map(({ name }) => `"${name}"`).join(", ")})
    SELECT ${written.map((column) => copiedValue(column, varied.has(column.name))).join(", ")}
    FROM (SELECT * FROM "${table}" WHERE ${where}) t,
      generate_series(1, $1::bigint / greatest(1, (SELECT count(*) FROM "${table}" WHERE ${where}))) n
    ORDER BY ${age} DESC
    ON CONFLICT DO NOTHING`;
}

/**
 * The columns that differ between copies: the owners, unless they have many such rows, and at least one
 * column of each unique index.
 */
function variedColumns(table: string, columns: Column[]): Set<string> {
  const owners = columns.filter(({ isForeignKey, type }) => isForeignKey && type === "uuid");
  const keepsOwner = ({ name }: Column) =>
    heldInBulk.includes(table) && !(table === "query_references" && name === "query_id");
  const varied = new Set(owners.filter((owner) => !keepsOwner(owner)).map(({ name }) => name));
  for (const index of new Set(columns.flatMap(({ uniqueIndexes }) => uniqueIndexes))) {
    const candidates = columns.filter(({ uniqueIndexes }) => uniqueIndexes.includes(index));
    // Times differ anyway.
    if (candidates.some(({ name, type }) => varied.has(name) || type === timestamp)) continue;
    const [best] = candidates.sort((a, b) => preference(a) - preference(b));
    if (best) varied.add(best.name);
  }
  return varied;
}

function preference({ name, type, isForeignKey, isGenerated }: Column): number {
  if (isGenerated) return 0;
  if (type === "uuid") return !isForeignKey ? 1 : name === "organization_id" ? 5 : 2;
  return type === "text" ? 3 : 4;
}

function copiedValue({ name, type }: Column, isVaried: boolean): string {
  const column = `t."${name}"`;
  // What is in the future, such as an expiry or the next run of a schedule, stays there.
  if (type === timestamp) {
    return `CASE WHEN ${column} > querybell_now() THEN ${column} ELSE ${column} - ${age} END`;
  }
  if (!isVaried) return column;
  if (checkedValues[name]) return checkedValues[name];
  if (type === "uuid") return `pg_temp.copy_id(${column}, n, ${age})`;
  if (type === "text") return `${column} || '-' || n`;
  if (type === "bytea") return `sha256(${column} || int8send(n))`;
  return `${column} + n`;
}
