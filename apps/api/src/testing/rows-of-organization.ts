import type { Deps } from "@querybell/core";

type Pool = Deps["db"]["pool"];

const itsEndpoints = "SELECT id FROM webhook_endpoints WHERE organization_id = $1";
const itsPeople = "SELECT user_id FROM members WHERE organization_id = $1";

// How to find the rows of an organization in tables without an organization id. `null`: the table has none.
const elsewhere: Record<string, string | null> = {
  organizations: "id = $1",
  users: `id IN (${itsPeople})`,
  sessions: `user_id IN (${itsPeople})`,
  accounts: `user_id IN (${itsPeople})`,
  failed_sign_ins: `user_id IN (${itsPeople})`,
  totp_factors: `user_id IN (${itsPeople})`,
  passkeys: `user_id IN (${itsPeople})`,
  recovery_codes: `user_id IN (${itsPeople})`,
  sign_in_requests: `user_id IN (${itsPeople})`,
  // Hashes of addresses.
  sign_in_limits: null,
  call_budgets: null,
  open_subscriptions: null,
  backups: null,
  verifications: `value IN (SELECT user_id::text FROM (${itsPeople}) AS people)`,
  notification_preferences: `user_id IN (${itsPeople})`,
  row_versions: "row->>'organization_id' = $1::text",
  webhook_secrets: `endpoint_id IN (${itsEndpoints})`,
  webhook_deliveries: `endpoint_id IN (${itsEndpoints})`,
  webhook_attempts: `delivery_id IN (SELECT id FROM webhook_deliveries WHERE endpoint_id IN (${itsEndpoints}))`,
  webhook_pumps: null,
  // Programs belong to nobody.
  oauth_clients: null,
  _prisma_migrations: null,
  worker_heartbeats: null,
  processes: null,
  transaction_origin: null,
};

/** Reads the rows of an organization from every table at once, because a test does that after each procedure. */
interface Reading {
  tables: string[];
  sql: string;
}

const readings = new WeakMap<Pool, Promise<Reading>>();

/** All rows of an organization as text, by table. The tables are read from the database, so new ones are included. */
export async function rowsOfOrganization(pool: Pool, organizationId: string): Promise<Map<string, string[]>> {
  const known = readings.get(pool) ?? prepareReading(pool);
  readings.set(pool, known);
  const { tables, sql } = await known;
  const found = new Map(tables.map((table): [string, string[]] => [table, []]));
  const { rows } = await pool.query<{ table: string; row: string }>({
    name: "rows of an organization",
    text: sql,
    values: [organizationId],
  });
  for (const { table, row } of rows) found.get(table)?.push(row);
  return found;
}

async function prepareReading(pool: Pool): Promise<Reading> {
  const conditions = (await listTables(pool)).flatMap(({ table, named }) => {
    const where = named ? "organization_id = $1" : elsewhere[table];
    if (where === undefined) {
      throw new Error(
        `The table ${table} has no organization_id. Say in testing/rows-of-organization.ts which of its rows belong to an organization.`,
      );
    }
    return where === null ? [] : [{ table, where: where.replaceAll("$1", "$1::uuid") }];
  });
  const selects = conditions.map(
    ({ table, where }) =>
      `SELECT '${table}' AS table, to_jsonb(t)::text AS row FROM "${table}" t WHERE ${where}`,
  );
  return {
    tables: conditions.map(({ table }) => table),
    sql: `${selects.join(" UNION ALL ")} ORDER BY 1, 2`,
  };
}

/** Fails if a table has no row of the organization: its isolation would not be tested. */
export function refuseEmptyTables(rows: Map<string, string[]>): void {
  for (const [table, { length }] of rows) {
    if (length > 0) continue;
    throw new Error(
      `There is no row in ${table}. Add one in testing/organization-with-everything.ts, so that isolation is tested there too.`,
    );
  }
}

async function listTables(pool: Pool): Promise<{ table: string; named: boolean }[]> {
  const { rows } = await pool.query<{ table: string; named: boolean }>(`
    SELECT t.table_name AS table, bool_or(c.column_name = 'organization_id') AS named
    FROM information_schema.tables t JOIN information_schema.columns c USING (table_schema, table_name)
    WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE' GROUP BY 1`);
  return rows;
}

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Every id in the rows, each once. */
export const idsIn = (rows: Map<string, string[]>): string[] => [
  ...new Set([...rows.values()].flat().flatMap((row) => row.match(uuid) ?? [])),
];

/** One id of each table, by the name of the table. */
export const oneIdOfEachKind = (rows: Map<string, string[]>): Map<string, string> =>
  new Map(
    [...rows].flatMap(([table, [first]]) => (first?.match(uuid) ?? []).slice(0, 1).map((id) => [table, id])),
  );

const tableOfShortId = { reference_short_id: "query_references", chat_short_id: "automation_runs" };

/** One short id of each kind of object that has one. */
export const oneOfEachShortId = (rows: Map<string, string[]>): Map<string, string> =>
  new Map(
    Object.entries(tableOfShortId).map(([kind, table]) => {
      const [, shortId] = /"short_id": "(\w+)"/.exec(rows.get(table)?.[0] ?? "") ?? [];
      if (shortId === undefined) throw new Error(`There is no short id in ${table}.`);
      return [kind, shortId];
    }),
  );
