import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as bindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";
import { createEngineAdapter } from "./engine-adapter.ts";

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
    // The engine holds a lock of its own on its connection and never closes it.
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
