import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { createDatabase } from "@querybell/core/databases";
import { toPostgresConnection } from "@querybell/core/testing/postgres-connection";
import type { EngineKind } from "@querybell/domain";
import { type Caller, CreateDatabase } from "@querybell/domain";
import pg from "pg";
import { z } from "zod";
import type { Installation } from "../webhooks/installation.ts";

const rowCount = 50_000;

/** Rows of ten columns of different types, made by the engine. */
export const rowStatements: Record<EngineKind, string> = {
  duckdb: `SELECT i AS id, 'name ' || i AS name, (i * 1.25)::decimal(12, 2) AS amount, TIMESTAMP '2026-01-01' + to_seconds(i) AS at,
      i % 2 = 0 AS flag, i / 7.0::double AS ratio, DATE '2026-01-01' + (i % 365)::int AS day, md5(i::varchar) AS hash,
      (i % 100)::int AS hundreds, 'category ' || i % 10 AS category
    FROM range(1, ${rowCount + 1}) t(i)`,
  postgres: `SELECT i::bigint AS id, 'name ' || i AS name, (i * 1.25)::numeric(12, 2) AS amount, TIMESTAMP '2026-01-01' + i * interval '1 second' AS at,
      i % 2 = 0 AS flag, i / 7.0::float8 AS ratio, DATE '2026-01-01' + i % 365 AS day, md5(i::text) AS hash,
      i % 100 AS hundreds, 'category ' || i % 10 AS category
    FROM generate_series(1, ${rowCount}) t(i)`,
  trino: `SELECT i AS id, 'name ' || CAST(i AS varchar) AS name, CAST(i * DECIMAL '1.25' AS decimal(12, 2)) AS amount,
      TIMESTAMP '2026-01-01 00:00:00' + i * INTERVAL '1' SECOND AS at, i % 2 = 0 AS flag, i / 7e0 AS ratio,
      DATE '2026-01-01' + (i % 365) * INTERVAL '1' DAY AS day, lower(to_hex(md5(to_utf8(CAST(i AS varchar))))) AS hash,
      CAST(i % 100 AS integer) AS hundreds, 'category ' || CAST(i % 10 AS varchar) AS category
    FROM TABLE(sequence(1, ${rowCount})) t(i)`,
};

/** An engine, as a database of an organization and by its bare driver. */
export interface Engine {
  kind: EngineKind;
  databaseId: string;
  /** Runs a statement in the driver, on a connection that is open. Returns what the driver gives. */
  read(statement: string): Promise<{ fields: unknown[]; rows: unknown[][] }>;
  close(): Promise<void>;
}

type Open = (installation: Installation, owner: Caller) => Promise<Engine>;

const addDatabase = async ({ deps }: Installation, owner: Caller, connection: unknown): Promise<string> =>
  (await createDatabase(deps, owner, CreateDatabase.parse({ name: "Bench", connection }))).id;

export const openDuckdb: Open = async (installation, owner) => {
  const { deps, settings } = installation;
  const { slug } = await deps.db.prisma.organization.findUniqueOrThrow({
    where: { id: owner.organizationId },
  });
  const instance = await DuckDBInstance.create(join(settings.DUCKDB_FOLDER, `${slug}.bench.duckdb`));
  const connection = await instance.connect();
  await connection.run("CREATE TABLE one AS SELECT 1 AS n");
  await connection.run("CHECKPOINT");
  connection.closeSync();
  instance.closeSync();
  const databaseId = await addDatabase(installation, owner, {
    engine: "duckdb",
    settings: { file: "bench.duckdb" },
  });
  const reader = await DuckDBInstance.create(join(settings.DUCKDB_FOLDER, `${slug}.bench.duckdb`), {
    access_mode: "READ_ONLY",
  });
  const readers = [await reader.connect()];
  return {
    kind: "duckdb",
    databaseId,
    async read(statement) {
      const reading = readers.pop() ?? (await reader.connect());
      const result = await reading.runAndReadAll(statement);
      const rows = result.getRowsJson();
      readers.push(reading);
      return { fields: result.columnNames(), rows };
    },
    async close() {
      for (const each of readers) each.closeSync();
      reader.closeSync();
    },
  };
};

export const openPostgres: Open = async (installation, owner) => {
  const url = installation.settings.DATABASE_URL;
  const databaseId = await addDatabase(installation, owner, toPostgresConnection(url));
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  return {
    kind: "postgres",
    databaseId,
    async read(statement) {
      const { fields, rows } = await pool.query<unknown[]>({ text: statement, rowMode: "array" });
      return { fields: fields.map(({ name }) => name), rows };
    },
    close: () => pool.end(),
  };
};

const Page = z.object({
  nextUri: z.string().optional(),
  columns: z.array(z.unknown()).optional(),
  data: z.array(z.array(z.unknown())).optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** `url` is that of the cluster. */
export const openTrino =
  (url: string): Open =>
  async (installation, owner) => {
    const { origin, hostname, port, username } = new URL(url);
    const user = decodeURIComponent(username) || "querybell";
    const databaseId = await addDatabase(installation, owner, {
      engine: "trino",
      settings: { host: hostname, port: Number(port || 80), catalog: "tpch", user, tls: "off" },
      credentials: { kind: "none" },
    });
    const headers = { "x-trino-user": user, "x-trino-catalog": "tpch" };
    const ask = async (address: string, init: RequestInit) =>
      Page.parse(await (await fetch(address, { headers, ...init })).json());
    return {
      kind: "trino",
      databaseId,
      async read(statement) {
        let page = await ask(`${origin}/v1/statement`, { method: "POST", body: statement });
        let fields: unknown[] = [];
        const rows: unknown[][] = [];
        for (;;) {
          if (page.error) throw new Error(page.error.message);
          fields = page.columns ?? fields;
          rows.push(...(page.data ?? []));
          if (page.nextUri === undefined) return { fields, rows };
          page = await ask(page.nextUri, {});
        }
      },
      close: async () => {},
    };
  };
