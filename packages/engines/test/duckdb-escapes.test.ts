import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { connect } from "../src/connect.ts";
import { Database } from "../src/databases.ts";
import { dataFolder, duckdbContext, execute, runInDuckdb } from "./real-databases.ts";

const secret = "nobody may read this";
const path = (name: string) => join(dataFolder, name);

beforeAll(async () => {
  await runInDuckdb("CREATE TABLE mine AS SELECT 1 AS a");
  await runInDuckdb(`CREATE TABLE theirs AS SELECT '${secret}' AS s`, "other.duckdb");
  writeFileSync(path("secret.csv"), `s\n${secret}\n`);
  symlinkSync(path("other.duckdb"), path("link.duckdb"));
});

/** Everything a statement gave back, or its refusal. */
async function attempt(text: string): Promise<string> {
  try {
    return JSON.stringify(await execute("duckdb", { text, values: [] }));
  } catch (error) {
    return `refused: ${error}`;
  }
}

const inFolder = (name: string) => `'${path(name)}'`;

describe("a query on DuckDB cannot", () => {
  test.each([
    ["read a file as text", `SELECT * FROM read_text(${inFolder("secret.csv")})`],
    ["read a file as bytes", `SELECT * FROM read_blob(${inFolder("secret.csv")})`],
    ["read a CSV file", `SELECT * FROM read_csv(${inFolder("secret.csv")})`],
    ["read a CSV file by its name", `SELECT * FROM ${inFolder("secret.csv")}`],
    ["read a file by a relative name", "SELECT * FROM 'secret.csv'"],
    ["sniff a file", `SELECT * FROM sniff_csv(${inFolder("secret.csv")})`],
    ["read JSON", `SELECT * FROM read_json(${inFolder("secret.csv")})`],
    ["read Parquet metadata", `SELECT * FROM parquet_metadata(${inFolder("secret.csv")})`],
    [
      "read a file through query()",
      `SELECT * FROM query('SELECT * FROM read_text(${inFolder("secret.csv").replaceAll("'", "''")})')`,
    ],
    [
      "read a file through a serialized statement",
      `SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT * FROM read_text(${inFolder("secret.csv").replaceAll("'", "''")})'))`,
    ],
    ["list a folder", `SELECT * FROM glob(${inFolder("*")})`],
    ["read another database of the folder", `SELECT * FROM ${inFolder("other.duckdb")}`],
    ["read another database with a function", `SELECT * FROM read_duckdb(${inFolder("other.duckdb")})`],
    ["attach another database", `ATTACH ${inFolder("other.duckdb")} AS other`],
    ["attach a database in memory", "ATTACH ':memory:' AS m"],
    ["reach the network", "SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')"],
    ["read the environment", "SELECT getenv('PATH')"],
    ["read the environment from the system", "SELECT * FROM read_blob('/proc/self/environ')"],
    ["install an extension", "INSTALL httpfs"],
    ["load an extension", "LOAD httpfs"],
    ["load a library", `LOAD ${inFolder("evil.duckdb_extension")}`],
    ["copy out", `COPY mine TO ${inFolder("out.csv")}`],
    ["copy a query out", `COPY (SELECT 1) TO ${inFolder("out.csv")}`],
    ["copy in", `COPY mine FROM ${inFolder("secret.csv")}`],
    ["export the database", `EXPORT DATABASE ${inFolder("out")}`],
    ["import a database", `IMPORT DATABASE ${inFolder("out")}`],
    ["change a setting", "SET memory_limit = '64GB'"],
    ["allow external access", "SET enable_external_access = true"],
    ["unlock the configuration", "SET lock_configuration = false"],
    ["reset a setting", "RESET memory_limit"],
    ["set by PRAGMA", `PRAGMA temp_directory = ${inFolder("tmp")}`],
    ["profile into a file", `PRAGMA profiling_output = ${inFolder("profile")}`],
    ["turn profiling on", "PRAGMA enable_profiling"],
    [
      "log into a file",
      `CALL enable_logging('QueryLog', storage = 'file', storage_path = ${inFolder("log")})`,
    ],
    ["keep a secret", "CREATE PERSISTENT SECRET s (TYPE s3)"],
    ["make a secret", "CREATE SECRET s (TYPE http)"],
    ["write a table", "CREATE TABLE more AS SELECT 1"],
    ["insert", "INSERT INTO mine VALUES (2)"],
    ["insert in a WITH", "WITH x AS (SELECT 1) INSERT INTO mine SELECT * FROM x"],
    ["drop", "DROP TABLE mine"],
    ["make a temporary table", "CREATE TEMP TABLE more AS SELECT 1"],
    ["run a checkpoint", "FORCE CHECKPOINT"],
    ["prepare a statement of its own", "PREPARE p AS SELECT 1"],
    ["start a transaction", "BEGIN"],
    ["run two statements", "SELECT 1; SELECT 2"],
    ["detach", "DETACH test"],
    ["use another database", "USE other"],
  ])("%s", async (_, text) => {
    const before = readdirSync(dataFolder);
    const content = readFileSync(path("test.duckdb"));
    const outcome = await attempt(text);
    expect(outcome).toMatch(/^refused: /);
    expect(outcome).not.toContain(secret);
    expect(readdirSync(dataFolder)).toEqual(before);
    expect(readFileSync(path("test.duckdb")).equals(content)).toBe(true);
  });

  // These take effect from the next statement of their session on, and there is none.
  test.each([
    ["log", `enable_logging('QueryLog', storage = 'file', storage_path = ${inFolder("log")})`],
    ["profile as JSON", `enable_profiling(format = 'json', save_location = ${inFolder("profile.json")})`],
    ["profile as text", `enable_profiling(save_location = ${inFolder("profile.txt")})`],
  ])("%s into a file by a function in FROM", async (_, call) => {
    const before = readdirSync(dataFolder);
    await attempt(`SELECT * FROM ${call}`);
    expect(await attempt("SELECT a FROM mine")).toContain('"rows":[[1]]');
    expect(readdirSync(dataFolder)).toEqual(before);
  });
});

describe("a DuckDB configuration", () => {
  test.each([
    "../other.duckdb",
    "/etc/passwd",
    "a/b.duckdb",
    "..",
    ".duckdb",
    "x.duckdb\0",
    "secret.csv",
    ":memory:",
    "",
  ])("with the file %j is refused", (file) => {
    expect(Database.safeParse({ engine: "duckdb", configuration: { file } }).success).toBe(false);
  });

  test.each(["missing.duckdb", "link.duckdb"])(
    "of %s, which is no file of its own, finds no database",
    async (file) => {
      const opening = connect({ engine: "duckdb", configuration: { file } }, duckdbContext);
      await expect(opening).rejects.toMatchObject({ code: "database_unreachable" });
      expect(existsSync(path("missing.duckdb"))).toBe(false);
    },
  );

  test("of a file that is no database says so", async () => {
    writeFileSync(path("text.duckdb"), "just text");
    const opening = connect({ engine: "duckdb", configuration: { file: "text.duckdb" } }, duckdbContext);
    const error = await opening.catch((refusal: unknown) => refusal);
    expect(error).toMatchObject({ code: "database_unreachable" });
    expect(String(error)).not.toContain(dataFolder);
  });
});
