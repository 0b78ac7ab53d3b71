import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import pg from "pg";
import { afterAll, beforeAll, inject } from "vitest";
import { connect } from "../src/connect.ts";
import type { Database, EngineKind } from "../src/databases.ts";
import type { CompiledStatement } from "../src/placeholders/compile-statement.ts";
import type { JsonValue } from "../src/results/json-value.ts";
import { postgresPassword } from "./postgres-server.ts";

export const engineKinds: EngineKind[] = ["duckdb", "postgres"];

/** A folder with an empty DuckDB database, for the tests of one file. */
export const dataFolder = mkdtempSync(join(tmpdir(), "querybell-databases-"));
const duckdbFile = "test.duckdb";

beforeAll(() => runInDuckdb("SELECT 1"));
afterAll(() => rmSync(dataFolder, { recursive: true, force: true }));

export function databaseOf(engine: EngineKind): Database {
  if (engine === "duckdb") return { engine, configuration: { file: duckdbFile } };
  const configuration = {
    host: "127.0.0.1",
    port: inject("postgresPort"),
    database: "postgres",
    user: "postgres",
    password: postgresPassword,
    tls: "off" as const,
  };
  return { engine, configuration };
}

export const context = { dataFolder, addresses: ["127.0.0.1"], timeMs: 30_000, memoryBytes: 512 * 1024 ** 2 };

/** Runs one statement in a session of its own, as a run does, and reads all rows. */
export async function execute(engine: EngineKind, statement: Pick<CompiledStatement, "text" | "values">) {
  const session = await connect(databaseOf(engine), context);
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
export async function withPostgres<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    host: "127.0.0.1",
    port: inject("postgresPort"),
    database: "postgres",
    user: "postgres",
    password: postgresPassword,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
