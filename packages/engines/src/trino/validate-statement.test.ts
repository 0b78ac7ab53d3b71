import { describe, expect, test } from "vitest";
import { validateStatement } from "./validate-statement.ts";

const refused = (text: string) => expect(() => validateStatement(text), text);

describe("what reads is let through", () => {
  test.each([
    "SELECT 1",
    "  -- a comment\n SELECT 1",
    "/* /* */ SELECT 1",
    "((SELECT 1) UNION (SELECT 2))",
    "WITH a AS (SELECT 1 AS x) SELECT x FROM a",
    "WITH session AS (SELECT 1 AS x) SELECT x FROM session",
    "WITH session (x) AS (SELECT 1) SELECT x FROM session",
    "WITH FUNCTION twice(x bigint) RETURNS bigint RETURN x * 2 SELECT twice(2)",
    "VALUES 1, 2",
    "TABLE nation",
    "SELECT 'INSERT INTO t; DROP TABLE t', \"delete\" FROM t",
    "SELECT * FROM TABLE(sequence(1, 10))",
    "SELECT * FROM TABLE(exclude_columns(input => TABLE(nation), columns => DESCRIPTOR(a)))",
    "SELECT * FROM TABLE(exclude_columns(input => TABLE(SELECT (1) AS a, 2 AS b), columns => DESCRIPTOR(a)))",
    'SELECT * FROM TABLE("system".builtin.sequence(1, 2))',
    "SELECT system.builtin.abs(-1)",
    "SELECT a.system FROM a",
    "SELECT JSON_TABLE_x FROM t",
    "SHOW TABLES",
    "SHOW CREATE TABLE nation",
    "SHOW STATS FOR nation",
    "DESCRIBE nation",
    "EXPLAIN SELECT 1",
    "EXPLAIN (TYPE DISTRIBUTED, FORMAT JSON) SELECT 1",
    "EXPLAIN (SELECT 1)",
    "EXPLAIN ANALYZE VERBOSE SELECT 1",
  ])("%s", (text) => {
    expect(validateStatement(text)).toMatchObject({ statement: text });
  });

  test("without the semicolons at its end, which Trino does not take", () => {
    expect(validateStatement("SELECT 1 ; -- done\n;")).toEqual({ statement: "SELECT 1 ", takesValues: true });
  });
});

describe("what does more than read is refused:", () => {
  test.each([
    "INSERT INTO t VALUES 1",
    "UPDATE t SET a = 1",
    "DELETE FROM t",
    "MERGE INTO t USING s ON true WHEN MATCHED THEN DELETE",
    "TRUNCATE TABLE t",
    "CREATE TABLE t AS SELECT 1",
    "CREATE VIEW v AS SELECT 1",
    "CREATE OR REPLACE FUNCTION f() RETURNS bigint RETURN 1",
    "CREATE CATALOG c USING memory",
    "DROP TABLE t",
    "ALTER TABLE t ADD COLUMN a bigint",
    "COMMENT ON TABLE t IS 'x'",
    "ANALYZE t",
    "REFRESH MATERIALIZED VIEW v",
    "CALL system.runtime.kill_query('x', 'y')",
    "SET SESSION query_max_run_time = '1s'",
    "RESET SESSION query_max_run_time",
    "SET SESSION AUTHORIZATION admin",
    "SET ROLE admin",
    "SET TIME ZONE 'UTC'",
    "SET PATH a.b",
    "USE memory.default",
    "GRANT SELECT ON t TO USER u",
    "REVOKE SELECT ON t FROM USER u",
    "DENY SELECT ON t TO USER u",
    "CREATE ROLE r",
    "START TRANSACTION",
    "COMMIT",
    "ROLLBACK",
    "PREPARE p FROM SELECT 1",
    "EXECUTE p",
    "EXECUTE IMMEDIATE 'DROP TABLE t'",
    "DEALLOCATE PREPARE p",
    "EXPLAIN INSERT INTO t VALUES 1",
    "EXPLAIN ANALYZE INSERT INTO t VALUES 1",
    "EXPLAIN ANALYZE VERBOSE DELETE FROM t",
    "EXPLAIN (TYPE IO) CREATE TABLE t AS SELECT 1",
    "SHOW SESSION",
    "SHOW GRANTS",
    "SHOW ROLES",
    "SHOW CREATE CATALOG c",
    "WITH SESSION query_max_run_time = '1s' SELECT 1",
    "WITH /**/ session a.b = 1, c = 2 SELECT 1",
    "",
    "-- nothing",
    ";",
  ])("%s", (text) => {
    refused(text).toThrow(/^A query can/);
  });

  test.each(["SELECT 1; SELECT 2", "SELECT 1; DROP TABLE t;", "; SELECT 1"])(
    "several statements: %s",
    (text) => {
      refused(text).toThrow("one statement");
    },
  );

  test.each([
    "/* /*/ DROP TABLE t -- */ SELECT 1",
    "--\rDROP TABLE t",
    "/**/DROP/**/TABLE t",
    "( DROP TABLE t )",
    "E'\\' DROP TABLE t -- '",
  ])("a statement behind a comment or string that reads otherwise: %j", (text) => {
    refused(text).toThrow();
  });

  test.each([
    "SELECT * FROM TABLE(query(query => 'DELETE FROM t'))",
    "SELECT * FROM TABLE(postgres.system.query(query => 'SELECT 1'))",
    'SELECT * FROM table /* x */ ( "postgres" . system . "QUERY" (query => \'SELECT 1\'))',
    "SELECT * FROM a, LATERAL (SELECT * FROM TABLE(sqlserver.system.procedure(query => 'EXECUTE x')))",
    "SELECT * FROM TABLE(hive.system.unload(input => TABLE(t), location => 's3://x'))",
    "SELECT * FROM TABLE(exclude_columns(input => TABLE(a.b.query(query => 'x')), columns => DESCRIPTOR(a)))",
    'SELECT * FROM TABLE("select"(query => 1))',
    "WITH a AS (SELECT * FROM TABLE(my.sequence(1))) SELECT * FROM a",
  ])("a table function that could: %s", (text) => {
    refused(text).toThrow(/table function .* cannot be used/);
  });

  test.each([
    "SELECT * FROM system.runtime.queries",
    "SELECT * FROM SYSTEM . runtime . queries",
    'SELECT * FROM "System".metadata.catalogs',
    "TABLE system.runtime.nodes",
    "SHOW TABLES FROM system.runtime",
    "DESCRIBE system.runtime.queries",
    "EXPLAIN ANALYZE SELECT query FROM system.runtime.queries",
    "SELECT (SELECT count(*) FROM system.jdbc.tables)",
  ])("the catalog system: %s", (text) => {
    refused(text).toThrow("The catalog system cannot be used");
  });
});
