import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { EngineKind } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import { createDatabase } from "@querybell/embedded-postgres";
import type { CompiledStatement } from "@querybell/statements";
import pg from "pg";
import { afterAll, beforeAll, describe, inject } from "vitest";
import type { ConnectionContext } from "../engine.ts";
import { connect, type Database, engineOf } from "../engines.ts";
import type { PostgresConfiguration } from "../postgres/postgres-engine.ts";
import { hasTrino } from "./trino/test-cluster.ts";
import { runInTrino, trinoDatabase, useTrino } from "./trino/trino-database.ts";

/** Defines the same tests for every engine. Without a Trino cluster, its tests are counted as skipped. */
export function describeEngines(name: string, define: (engine: EngineKind) => void): void {
  describe(`${name} DuckDB`, () => define("duckdb"));
  describeServerEngines(name, define);
}

/** The same for the engines that have a server. */
export function describeServerEngines(name: string, define: (engine: ServerEngine) => void): void {
  describe(`${name} Postgres`, () => define("postgres"));
  describe.skipIf(!hasTrino)(`${name} Trino`, () => {
    useTrino();
    define("trino");
  });
}

/** A folder with an empty DuckDB database, for the tests of one file. */
export const dataFolder = mkdtempSync(join(tmpdir(), "querybell-databases-"));
const duckdbFile = "test.duckdb";

/** A database for this test file, on the shared server. */
const postgresUrl = new URL(inject("postgres").url);
const postgresName = `engines_${randomBytes(8).toString("hex")}`;

beforeAll(async () => {
  await runInDuckdb("SELECT 1");
  const created = await createDatabase(inject("postgres"), { name: postgresName });
  return () => created[Symbol.asyncDispose]();
});
afterAll(() => rmSync(dataFolder, { recursive: true, force: true }));

/** For Trino, only while a test runs, because the cluster is started before the first one. */
export function databaseOf(engine: EngineKind): Database {
  switch (engine) {
    case "duckdb":
      return { engine, configuration: { file: duckdbFile } };
    case "postgres":
      return postgresDatabase();
    case "trino":
      return trinoDatabase();
  }
}

export const postgresDatabase = (change: Partial<PostgresConfiguration> = {}): Database => ({
  engine: "postgres",
  configuration: {
    host: postgresUrl.hostname,
    port: Number(postgresUrl.port),
    database: postgresName,
    user: decodeURIComponent(postgresUrl.username),
    password: decodeURIComponent(postgresUrl.password),
    tls: "off",
    ...change,
  },
});

/** The engines that have a server, and the settings that all servers share. */
export type ServerEngine = Exclude<EngineKind, "duckdb">;
type ServerSettings = Partial<Pick<PostgresConfiguration, "host" | "port" | "tls">>;

export const serverDatabase = (engine: ServerEngine, change: ServerSettings): Database =>
  engine === "postgres" ? postgresDatabase(change) : trinoDatabase(change);

/** What an engine host gives a session on this database. */
export const contextOf = (database: Database): ConnectionContext => ({
  dataFolder,
  openSocket: async () => {
    const server = engineOf(database.engine).server(database.configuration);
    if (!server) throw new Error("This database has no server.");
    const socket = net.connect({ ...server, noDelay: true });
    // As a host gets it: nothing has been read from it.
    socket.pause();
    await once(socket, "connect");
    return socket;
  },
  timeMs: 60_000,
  label: "test",
  onProgress: () => {},
  memoryBytes: 512 * 1024 ** 2,
});
export const duckdbContext = contextOf(databaseOf("duckdb"));

/** Runs one statement in a separate session, as a run does, and returns all rows. */
export async function execute(engine: EngineKind, statement: Pick<CompiledStatement, "text" | "values">) {
  const database = databaseOf(engine);
  const session = await connect(database, contextOf(database));
  try {
    const execution = await session.execute(statement);
    const rows: JsonValue[][] = [];
    for await (const batch of execution.batches) rows.push(...batch);
    return { fields: execution.fields, rows };
  } finally {
    await session.close();
  }
}

/** Runs statements as the owner of a database, outside of the product. Returns the rows of the last one. */
export async function runAsOwner(engine: EngineKind, ...statements: string[]): Promise<unknown[][]> {
  let rows: unknown[][] = [];
  for (const sql of statements) {
    if (engine === "duckdb") rows = await runInDuckdb(sql);
    else if (engine === "trino") rows = await runInTrino(sql);
    else ({ rows } = await withPostgres((client) => client.query({ text: sql, rowMode: "array" })));
  }
  return rows;
}

/** Opens the DuckDB file for writing, without the product. Returns the rows of the last statement. */
export async function runInDuckdb(sql: string, file = duckdbFile): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(join(dataFolder, file));
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(sql);
  connection.closeSync();
  instance.closeSync();
  return reader.getRowsJson();
}

/** A connection outside of the product, to inspect the server and change it. */
export async function withPostgres<T>(
  work: (client: pg.Client) => Promise<T>,
  database = postgresName,
): Promise<T> {
  const url = new URL(`/${database}`, postgresUrl);
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
