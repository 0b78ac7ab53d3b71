import { DuckDBInstance } from "@duckdb/node-api";

/**
 * A program for tests that runs a statement in DuckDB without validation, with DuckDB's own restrictions only. It
 * shows what hostile SQL can do to a process.
 */
const [file = "", sql = ""] = process.argv.slice(2);
const instance = await DuckDBInstance.create(file, {
  access_mode: "READ_ONLY",
  enable_external_access: "false",
});
const connection = await instance.connect();
await connection.run("SET lock_configuration = true");
await connection.run(sql);
