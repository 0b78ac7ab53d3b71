import { DuckDBInstance } from "@duckdb/node-api";

/**
 * A program for tests, which gives a statement to DuckDB as it stands, with DuckDB's own locks and without
 * ours: what hostile SQL can do to a process shows here.
 */
const [file = "", sql = ""] = process.argv.slice(2);
const instance = await DuckDBInstance.create(file, {
  access_mode: "READ_ONLY",
  enable_external_access: "false",
});
const connection = await instance.connect();
await connection.run("SET lock_configuration = true");
await connection.run(sql);
