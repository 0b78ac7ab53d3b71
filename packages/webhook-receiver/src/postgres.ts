import { anObjectWith, aString, checkOptions } from "./lib/check-options.ts";
import {
  type Claim,
  type DedupeRetention,
  type DedupeStore,
  earlierKey,
  retentionOf,
  retentionRules,
} from "./lib/dedupe.ts";

/** A `pg` pool or client, or anything else that runs a statement with `$1` parameters. */
export interface PostgresClient {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

export interface PostgresDedupeOptions extends DedupeRetention {
  /** The table's name, with its schema if need be. Default: `webhook_events`. */
  table?: string;
}

const defaultTable = "webhook_events";

/**
 * The statements that create the table, for your migrations. Several processes may run them at once: a lock
 * serializes them, because `if not exists` fails in Postgres when two create a table at the same moment.
 */
export function dedupeTable(table: string = defaultTable): string {
  const name = quoted(table);
  return `select pg_advisory_xact_lock(hashtext('@querybell/webhook-receiver'));
create table if not exists ${name} (
  id text primary key,
  token uuid not null,
  handled boolean not null default false,
  lapses_at timestamptz not null
);
create index if not exists ${quoted(`${table.split(".").at(-1)}_lapses_at`)} on ${name} (lapses_at);`;
}

/**
 * Remembers handled events in a table that all your processes share. Uses the database's clock. Every claim
 * also deletes a few expired rows, so nothing needs to be scheduled.
 */
export function postgresDedupe(client: PostgresClient, options: PostgresDedupeOptions = {}): DedupeStore {
  checkOptions("postgresDedupe", options, { ...retentionRules, table: aString });
  if (!anObjectWith("query").holds(client)) {
    throw new TypeError("postgresDedupe needs a Postgres client: an object with the function query.");
  }
  const { keepSeconds, leaseSeconds } = retentionOf(options);
  const table = quoted(options.table ?? defaultTable);

  // Only the insert decides: it waits for a concurrent insert of the same key, and replaces a row only if
  // that has expired. "before" may miss a row that was inserted concurrently; then the answer is
  // `in_progress`, which is safe. $4 is the key under which version 0.1 recorded the event, or null: an event
  // that it has handled is not handled again.
  const claimRow = `
    with cleared as (
      delete from ${table} where id in (
        select id from ${table} where lapses_at <= now() and id <> $1 limit 10 for update skip locked)
    ), earlier as (
      select from ${table} where id = $4 and handled and lapses_at > now()
    ), claimed as (
      insert into ${table} as event (id, token, lapses_at)
      select $1, $2::uuid, now() + make_interval(secs => $3) where not exists (select from earlier)
      on conflict (id) do update set token = excluded.token, handled = false, lapses_at = excluded.lapses_at
      where event.lapses_at <= now()
      returning 'claimed'
    ), before as (
      select 'duplicate'
      where exists (select from earlier) or exists (select from ${table} where id = $1 and handled)
    )
    select coalesce((table claimed), (table before), 'in_progress') as kind`;

  const commitRow = `
    insert into ${table} (id, token, handled, lapses_at) values ($1, $2, true, now() + make_interval(secs => $3))
    on conflict (id) do update set handled = true, lapses_at = excluded.lapses_at`;

  const renewRow = `
    update ${table} set lapses_at = now() + make_interval(secs => $3) where id = $1 and token = $2 and not handled`;

  const releaseRow = `delete from ${table} where id = $1 and token = $2 and not handled`;

  return {
    rows: rowsOf(client, table),
    renewEverySeconds: leaseSeconds / 3,
    async claim(key): Promise<Claim> {
      const token = crypto.randomUUID();
      const kind = kindOf(await client.query(claimRow, [key, token, leaseSeconds, earlierKey(key) ?? null]));
      return kind === "claimed" ? { kind, token } : { kind };
    },
    async commit(key, token) {
      await client.query(commitRow, [key, token, keepSeconds]);
    },
    async release(key, token) {
      await client.query(releaseRow, [key, token]);
    },
    async renew(key, token) {
      await client.query(renewRow, [key, token, leaseSeconds]);
    },
  };
}

const tables = new WeakMap<PostgresClient, Map<string, object>>();

function rowsOf(client: PostgresClient, table: string): object {
  const ofClient = tables.get(client) ?? new Map<string, object>();
  const rows = ofClient.get(table) ?? {};
  tables.set(client, ofClient.set(table, rows));
  return rows;
}

// Plain JavaScript may pass another kind of client.
function kindOf(result: unknown): Claim["kind"] {
  const kind: unknown = Object(Object(Object(result).rows)[0]).kind;
  if (kind === "claimed" || kind === "in_progress" || kind === "duplicate") return kind;
  throw new TypeError(
    "The Postgres client did not answer { rows: [{ kind }] }: pass a pg pool, or wrap yours.",
  );
}

const quoted = (name: string) =>
  name
    .split(".")
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join(".");
