import { randomBytes } from "node:crypto";
import { lookup } from "node:dns/promises";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import pg from "pg";
import { afterAll, beforeAll, describe, inject } from "vitest";
import { connect } from "../src/connect.ts";
import { type Database, type EngineKind, serverOf } from "../src/databases.ts";
import type { ConnectionContext } from "../src/engine.ts";
import { connectToServer } from "../src/host/server-socket.ts";
import type { CompiledStatement } from "../src/placeholders/compile-statement.ts";
import type { PostgresConfiguration } from "../src/postgres/postgres-engine.ts";
import type { JsonValue } from "../src/results/json-value.ts";
import { hasTrino } from "./trino/test-cluster.ts";
import { trinoDatabase, useTrino } from "./trino-database.ts";

/** Defines the same tests for every engine. Where there is no Trino, its tests are counted as skipped. */
export function describeEngines(name: string, define: (engine: EngineKind) => void): void {
  describe(`${name} DuckDB`, () => define("duckdb"));
  describe(`${name} Postgres`, () => define("postgres"));
  describe.skipIf(!hasTrino)(`${name} Trino`, () => {
    useTrino();
    define("trino");
  });
}

/** A folder with an empty DuckDB database, for the tests of one file. */
export const dataFolder = mkdtempSync(join(tmpdir(), "querybell-databases-"));
const duckdbFile = "test.duckdb";

/** A database of the file's own on the shared server. */
const postgresUrl = new URL(inject("postgresUrl"));
const postgresName = `engines_${randomBytes(8).toString("hex")}`;

beforeAll(async () => {
  await runInDuckdb("SELECT 1");
  await withPostgres(
    (client) => client.query(`CREATE DATABASE ${postgresName}`),
    postgresUrl.pathname.slice(1),
  );
});
afterAll(async () => {
  rmSync(dataFolder, { recursive: true, force: true });
  await withPostgres(
    (client) => client.query(`DROP DATABASE ${postgresName} WITH (FORCE)`),
    postgresUrl.pathname.slice(1),
  );
});

/** Of Trino only while a test runs: before that, there may be no cluster. */
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

/** What an engine host gives a session on this database. */
export const contextOf = (database: Database): ConnectionContext => ({
  dataFolder,
  openSocket: async () => {
    const server = serverOf(database);
    if (!server) throw new Error("This database has no server.");
    const { address } = await lookup(server.host);
    return connectToServer([address], server.port);
  },
  timeMs: 60_000,
  label: "test",
  onProgress: () => {},
  memoryBytes: 512 * 1024 ** 2,
});
export const duckdbContext = contextOf(databaseOf("duckdb"));

/** Runs one statement in a session of its own, as a run does, and reads all rows. */
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

/** Changes the DuckDB file, as somebody with the file in hand could. */
export async function runInDuckdb(sql: string, file = duckdbFile): Promise<void> {
  const instance = await DuckDBInstance.create(join(dataFolder, file));
  const connection = await instance.connect();
  await connection.run(sql);
  connection.closeSync();
  instance.closeSync();
}

/** A connection of the tests' own, to look at the server and change it. */
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
