import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  DriverAdapterError,
} from "@prisma/driver-adapter-utils";
import * as bindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";

const schemaFolder = fileURLToPath(new URL("../schema", import.meta.url));

export async function readSchema() {
  const names = await readdir(schemaFolder);
  const paths = names.sort().map((name) => join(schemaFolder, name));
  return {
    files: await Promise.all(paths.map(async (path) => ({ path, content: await readFile(path, "utf8") }))),
  };
}

/**
 * Prisma's own schema engine, as WebAssembly: the CLI would download a native one, which machines that
 * reach only the package registries cannot do. The migrations stay ordinary Prisma migrations.
 */
export async function openSchemaEngine(databaseUrl: string) {
  loading ??= load();
  await loading;
  const schema = await readSchema();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const engine = await bindings.SchemaEngine.new(
    { datamodels: schema.files.map(({ path, content }) => [path, content]) },
    () => {},
    createEngineAdapter(pool),
  );
  return {
    engine,
    // The engine holds a lock on its connection and never closes it.
    async [Symbol.asyncDispose]() {
      engine.free();
      await pool.end();
    },
  };
}

// Node's own types leave this global out.
declare const WebAssembly: {
  instantiate(
    module: Uint8Array,
    imports: object,
  ): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

let loading: Promise<void> | undefined;

async function load(): Promise<void> {
  const module = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm/schema_engine_bg");
  const wasm = module.replace(/\.js$/, ".wasm");
  const { instance } = await WebAssembly.instantiate(await readFile(wasm), {
    "./schema_engine_bg.js": bindings,
  });
  const { __wbindgen_start: start } = instance.exports;
  if (typeof start !== "function")
    throw new Error("This build of Prisma's schema engine has no start function.");
  bindings.__wbg_set_wasm(instance.exports);
  start();
}

/**
 * Prisma's adapter for `pg`, mended in two places where the schema engine trips over it: it cuts scripts
 * at every semicolon, function bodies included, and it does not know the catalog's type "char".
 */
function createEngineAdapter(pool: pg.Pool) {
  const connect = async () => {
    const adapter = await new PrismaPg(markingCatalogChars(pool)).connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const result = await queryRaw(query);
      const columnTypes = result.columnTypes.map((type) =>
        type === marker.columnType ? ColumnTypeEnum.Character : type,
      );
      return { ...result, columnTypes };
    };
    // As one simple query Postgres runs a whole script, and rolls all of it back when a part fails.
    adapter.executeScript = async (script) => {
      await pool.query(`${holdScriptLock}; ${script}\n;${finishMigration}`).catch(rethrowForEngine);
    };
    return adapter;
  };
  return bindMigrationAwareSqlAdapterFactory({
    provider: "postgres",
    adapterName: "@prisma/adapter-pg",
    connect,
    connectToShadowDb: connect,
  });
}

/** Of other errors the engine says only that there was one. */
function rethrowForEngine(error: unknown): never {
  if (!(error instanceof pg.DatabaseError)) throw error;
  const { code = "", severity = "ERROR", message, detail, column, hint } = error;
  throw new DriverAdapterError({ kind: "postgres", code, severity, message, detail, column, hint });
}

/** Held until the script ends: Postgres may still execute it after the process that sent it has died. */
export const holdScriptLock = "SELECT pg_advisory_xact_lock(7281902418)";

/**
 * The engine marks a migration as finished after its script, in another transaction. Here the script does: however
 * the process ends, a migration that is not finished has changed nothing.
 */
const finishMigration = `
  DO $$ BEGIN
    IF to_regclass('_prisma_migrations') IS NOT NULL THEN
      UPDATE _prisma_migrations SET finished_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL;
    END IF;
  END $$`;

// The adapter lets a type through only if it knows its number, so a "char" passes as a type that the
// engine's own queries never return.
const charOid = 18;
const marker = { oid: 1083, columnType: ColumnTypeEnum.Time };

function markingCatalogChars(pool: pg.Pool): pg.Pool {
  const query = async (config: pg.QueryArrayConfig) => {
    const result = await pool.query(config);
    for (const field of result.fields) if (field.dataTypeID === charOid) field.dataTypeID = marker.oid;
    return result;
  };
  return Object.create(pool, { query: { value: query } });
}
