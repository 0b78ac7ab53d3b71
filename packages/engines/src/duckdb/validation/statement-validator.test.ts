import { spawnSync } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../engines.ts";
import { exitPragma, exitSource, exitSql } from "../../testing/native-call.ts";
import { dataFolder, duckdbContext, execute, runInDuckdb } from "../../testing/real-databases.ts";
import { expressionFunctions, tableFunctions } from "./function-lists.ts";

const unvalidated = fileURLToPath(new URL("../../testing/run-unvalidated.ts", import.meta.url));

/** What DuckDB does with a statement by itself, in a process that may end. */
const exitCodeUnvalidated = (file: string, sql: string) =>
  spawnSync(process.execPath, [unvalidated, join(dataFolder, file), sql]).status;

const run = (text: string, values: string[] = []) => execute("duckdb", { text, values });

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error("It was not refused."),
    (refused: unknown) => refused,
  );
  expect(error).toMatchObject({ code: "query_failed" });
  return error instanceof Error ? error.message : String(error);
}

beforeAll(async () => {
  await runInDuckdb(`
    CREATE TABLE sales (day DATE, status VARCHAR, amount DECIMAL(10, 2), tags VARCHAR[], detail STRUCT(a INTEGER));
    INSERT INTO sales VALUES ('2026-01-01', 'paid', 10.50, ['x', 'y'], {'a': 1}), ('2026-01-02', 'open', 3, [], NULL);
    CREATE SEQUENCE ids;
    CREATE TABLE numbered (id BIGINT DEFAULT nextval('ids'), doubled BIGINT GENERATED ALWAYS AS (id * 2));
    CREATE INDEX by_id ON numbered ((id + 1));
    CREATE TABLE "plan.csv" (a INTEGER);
    CREATE TYPE mood AS ENUM ('good', 'bad');
    CREATE VIEW paid ("the day", amount) AS SELECT day, amount FROM sales WHERE status = 'paid';
    CREATE VIEW paid_twice AS SELECT a.* FROM paid a JOIN paid b USING (amount);
    CREATE MACRO add(a, b := 1) AS a + b;
    CREATE MACRO of_status(wanted) AS TABLE SELECT * FROM sales WHERE status = wanted;
  `);
});

describe("native code", () => {
  test("is run by DuckDB without validation, although external access is off and the configuration is locked", async () => {
    expect(exitCodeUnvalidated("test.duckdb", await exitSql(42))).toBe(42);
  });

  test("is refused, and the process continues", async () => {
    expect(await refusal(run(await exitSql(42)))).toBe(
      "json_execute_serialized_sql() is not available to queries, because it reads text as SQL. Write the statement itself, and name tables in FROM.",
    );
  });

  test.each([
    (sql: string) => `EXPLAIN ${sql}`,
    (sql: string) => `EXPLAIN ANALYZE ${sql}`,
    (sql: string) => `EXPLAIN (FORMAT JSON) ${sql}`,
    (sql: string) => `DESCRIBE ${sql}`,
    (sql: string) => `SUMMARIZE ${sql}`,
    (sql: string) => `WITH a AS MATERIALIZED (${sql}) FROM a`,
    (sql: string) => `WITH RECURSIVE a AS (SELECT 1 UNION ALL (${sql})) FROM a`,
    (sql: string) => `SELECT 1 WHERE EXISTS (${sql})`,
    (sql: string) => `SELECT [1 IN (${sql}) FOR x IN [1]]`,
    (sql: string) => `SELECT 1 ORDER BY (${sql}) LIMIT 1`,
    (sql: string) => `SELECT 1 LIMIT (${sql})`,
    (sql: string) => `SELECT 1 UNION ALL (${sql})`,
    (sql: string) => `FROM (PIVOT (${sql}) ON a IN (1) USING count(*))`,
    (sql: string) => `PIVOT (${sql}) ON a USING count(*)`,
    (sql: string) => `SELECT * FROM sales, LATERAL (${sql})`,
    (sql: string) => `SELECT sum(1) FILTER (WHERE (${sql}) = 1) OVER (PARTITION BY 1)`,
    (sql: string) => `VALUES ((${sql}))`,
    (sql: string) => sql.replace("json_execute", '"JSON_execute').replace("_sql(", '_sql"('),
    (sql: string) => sql.replace("json_execute", "system.main.json_execute"),
    (sql: string) => sql.replace("json_execute", "/* */ main . json_execute"),
  ])("is refused however the statement is wrapped: %s", async (wrap) => {
    expect(await refusal(run(wrap(await exitSql(42))))).toMatch(
      /json_execute_serialized_sql\(\) is not|PIVOT needs/,
    );
  });
});

describe("a text that DuckDB evaluates while it splits it into statements", () => {
  const evaluated = "PRAGMA table_info(error('EVALUATED ' || version()))";
  const wrappings: ((pragma: string) => string)[] = [
    (pragma) => pragma,
    (pragma) => `${pragma};`,
    (pragma) => `; ${pragma}`,
    (pragma) => `SELECT 1; ${pragma}`,
    (pragma) => `${pragma}; SELECT 1`,
    (pragma) => `/* SELECT 1 */ ${pragma} -- SELECT 1`,
    (pragma) => `-- a comment ends at a carriage return\r${pragma};\nEXPLAIN SELECT 1`,
    (pragma) => `/* /* */ */ ${pragma}; EXPLAIN SELECT 1`,
    (pragma) => `EXPLAIN SELECT 1; ${pragma}`,
    (pragma) => `EXPLAIN ANALYZE ${pragma}`,
    (pragma) => `\ufeff\u00a0${pragma}`,
    (pragma) => pragma.replace("(", " = ").replace(/\)$/, ""),
    (pragma) => pragma.replace("table_info", "import_database"),
  ];

  test.each(wrappings)("is refused before that: %s", async (wrap) => {
    const message = await refusal(run(wrap(evaluated)));
    expect(message).toMatch(/write a SELECT|one statement/);
    expect(await refusal(run(wrap(await exitPragma(77))))).toBe(message);
  });

  test("is evaluated by DuckDB without validation", async () => {
    expect(exitCodeUnvalidated("test.duckdb", await exitPragma(77))).toBe(77);
  });

  test.each([
    "IMPORT DATABASE '/nowhere'",
    "COPY FROM DATABASE test TO test",
    "EXPLAIN PIVOT sales ON status USING count(*)",
    "CREATE TABLE more AS PIVOT sales ON status USING count(*)",
    "PRAGMA memory_limit = '1GB'",
    "CALL pragma_version()",
    "EXECUTE p(error('EVALUATED'))",
    "SET VARIABLE x = error('EVALUATED')",
    "ATTACH ':memory:' AS x (TYPE error('EVALUATED'))",
    "EXPORT DATABASE '/nowhere' (FORMAT error('EVALUATED'))",
  ])("is refused for what it is: %s", async (text) => {
    expect(await refusal(run(text))).toMatch(/write a SELECT|PIVOT needs/);
  });

  test("is refused where it is nested deeply", async () => {
    const nested = (depth: number) => `SELECT ${"abs(".repeat(depth)}getenv('PATH')${")".repeat(depth)}`;
    expect(await refusal(run(nested(200)))).toMatch(/no function getenv\(\)/);
    expect(await refusal(run(nested(20_000)))).toMatch(/^Parser Error/);
  });
});

describe("native code in a database file", () => {
  const hostile = (text: string) =>
    connect({ engine: "duckdb", configuration: { file: "hostile.duckdb" } }, duckdbContext).then(
      async (session) => {
        try {
          const execution = await session.execute({ text, values: [] });
          for await (const _ of execution.batches);
        } finally {
          await session.close();
        }
      },
    );

  beforeAll(async () => {
    const source = await exitSource(42, "hostile");
    await runInDuckdb(
      `
      CREATE TABLE fine AS SELECT [1, 2] AS list;
      CREATE VIEW direct AS SELECT * FROM ${source};
      CREATE VIEW "we AS (ird" (a) AS SELECT a FROM direct;
      CREATE MACRO called() AS TABLE SELECT * FROM ${source};
      CREATE VIEW through_macro AS SELECT * FROM called();
      CREATE MACRO scalar_call(x) AS (SELECT x + max(a) FROM called());
      CREATE SCHEMA other;
      CREATE VIEW other.elsewhere AS SELECT * FROM main.direct;`,
      "innocent.duckdb",
    );
    renameSync(join(dataFolder, "innocent.duckdb"), join(dataFolder, "hostile.duckdb"));
  });

  test.each([
    ["a view", "FROM direct"],
    ["a view by another name", "SELECT * FROM hostile.MAIN.Direct AS harmless"],
    ["a view of a view", 'SELECT a FROM "we AS (ird"'],
    ["a view of another schema", "FROM other.elsewhere"],
    ["a table macro", "FROM called()"],
    ["a table macro with its schema", "FROM hostile.main.called()"],
    ["a view of a macro", "FROM through_macro"],
    ["a scalar macro", "SELECT scalar_call(1)"],
    ["a description of a view", "DESCRIBE direct"],
    ["a summary of a view", "SUMMARIZE through_macro"],
    ["a plan", "EXPLAIN FROM direct"],
  ])("is refused in %s, and DuckDB without validation runs it", async (_, sql) => {
    expect(await refusal(hostile(sql))).toMatch(
      /cannot be used here\. .*json_execute_serialized_sql\(\) is not/s,
    );
    expect(exitCodeUnvalidated("hostile.duckdb", sql)).toBe(42);
  });

  test("does not get in the way of what the file holds beside it", async () => {
    await hostile("SELECT list[1] FROM fine");
    await hostile("SELECT table_name FROM information_schema.tables");
    const session = await connect(
      { engine: "duckdb", configuration: { file: "hostile.duckdb" } },
      duckdbContext,
    );
    expect((await session.listTables({})).map((table) => table.name)).toContain("fine");
    await session.close();
  });
});

describe("a macro that hides one of DuckDB's own functions", () => {
  const file = "hiding.duckdb";
  beforeAll(async () => {
    const source = await exitSource(42, "hiding");
    await runInDuckdb(
      `CREATE MACRO approx_quantile(x, at) AS (SELECT max(a) FROM ${source});
       CREATE MACRO version() AS 'hidden';
       CREATE MACRO duckdb_columns() AS TABLE SELECT * FROM ${source}`,
      "open.duckdb",
    );
    renameSync(join(dataFolder, "open.duckdb"), join(dataFolder, file));
  });

  test("is validated even if no statement names it", async () => {
    const session = await connect({ engine: "duckdb", configuration: { file } }, duckdbContext);
    const sql = "SUMMARIZE SELECT 1 AS one";
    expect(await refusal(session.execute({ text: sql, values: [] }))).toMatch(
      /^The macro approx_quantile cannot be used/,
    );
    await session.close();
    expect(exitCodeUnvalidated(file, sql)).toBe(42);
  });

  test("is not called by us", async () => {
    const session = await connect({ engine: "duckdb", configuration: { file } }, duckdbContext);
    expect(await session.version()).toMatch(/^DuckDB v\d/);
    expect(await refusal(session.listTables({}))).toMatch(/^The macro approx_quantile cannot be used/);
    await session.close();
  });
});

describe("a statement may not use", () => {
  test.each([...tableFunctions.refused.keys()])("%s() in FROM", async (name) => {
    expect(await refusal(run(`SELECT * FROM ${name}('x')`))).toContain(
      `${name}() is not available to queries, because it `,
    );
  });

  test.each([...expressionFunctions.refused.keys()])("%s()", async (name) => {
    expect(await refusal(run(`SELECT ${name}('x')`))).toContain(
      `${name}() is not available to queries, because it `,
    );
  });

  test.each([
    ["a function that is in no list", "SELECT pandas_scan(1)", /^There is no function pandas_scan\(\) that/],
    ["such a function in FROM", "FROM pandas_scan(1)", /^There is no function pandas_scan\(\) that/],
    ["the method form", "SELECT status.json_serialize_plan() FROM sales", /json_serialize_plan\(\) is not/],
    ["a type of addresses", "SELECT 1::POINTER", /^The type POINTER is not available/],
    [
      "such a type inside of another",
      "SELECT NULL::STRUCT(a pointer[])",
      /^The type pointer is not available/,
    ],
    ["the state of an aggregate", "SELECT sum(amount) EXPORT_STATE FROM sales", /^EXPORT_STATE is not/],
    ["a file by its name", "FROM 'x.csv'", /queries read no files/],
    [
      "a file by a name that WITH defines elsewhere",
      `FROM 'x.csv' WHERE EXISTS (WITH "x.csv" AS (SELECT 1) FROM "x.csv")`,
      /^WITH names a table x\.csv, which could be a file/,
    ],
    ["its own file by its name", `FROM '${join(dataFolder, "test.duckdb")}'`, /queries read no files/],
    ["its own file raw", `FROM read_blob('${join(dataFolder, "test.duckdb")}')`, /because it reads files/],
    ["a NUL character", "SELECT 1 \0 FROM query('x')", /NUL character|at or near/],
    ["a default", "SELECT DEFAULT", /something that queries may not/],
    ["several statements", "SELECT 1; SELECT 2", /one statement/],
    ["a number without end", "SELECT 1e400", /too large/],
    ["PRAGMA database_list", "PRAGMA database_list", /write a SELECT/],
    ["PRAGMA database_list as a view", "FROM pragma_database_list", /duckdb_databases\(\) is not/],
    ["the list of databases", "FROM duckdb_databases()", /shows the server/],
    ["the list of databases as a view", "SELECT path FROM duckdb_databases", /shows the server/],
    ["the settings", "FROM duckdb_settings()", /shows the server/],
    ["the settings as a view", "FROM pg_catalog.pg_settings", /duckdb_settings\(\) is not/],
    [
      "a setting with a path",
      "SELECT current_setting('secret_directory')",
      /^current_setting\(\) shows only/,
    ],
    [
      "a setting of a computed name",
      "SELECT current_setting('secret_' || 'directory')",
      /^current_setting\(\) shows only/,
    ],
    ["a setting of a bound name", "SELECT current_setting($1)", /^current_setting\(\) shows only/],
    [
      "PIVOT without values",
      "PIVOT sales ON status USING sum(amount)",
      /^PIVOT needs its values in a query: write ON/,
    ],
    ["EXPLAIN of a change", "EXPLAIN INSERT INTO sales VALUES (NULL)", /write a SELECT/],
    ["CALL", "CALL pragma_version()", /write a SELECT/],
  ])("%s", async (_, text, sentence) => {
    expect(await refusal(run(text))).toMatch(sentence);
  });

  test("more than can be checked", async () => {
    const text = `SELECT ${Array.from({ length: 60_000 }, () => "a").join(", ")} FROM sales`;
    expect(await refusal(run(text))).toMatch(/too long to be checked/);
  });
});

describe("no host path is shown", () => {
  test.each([
    "SELECT * FROM nowhere",
    "PRAGMA database_list",
    "FROM pragma_database_list",
    "SHOW DATABASES",
    "SELECT current_database(), current_schema(), current_catalog()",
    "FROM duckdb_extensions()",
    "FROM duckdb_secrets()",
    "FROM pragma_database_size()",
    "FROM pg_catalog.pg_database",
    "EXPLAIN ANALYZE SELECT * FROM sales",
    "SELECT current_query()",
    "FROM duckdb_tables()",
    "SELECT * FROM 'test.duckdb'",
    "FROM other.main.sales",
  ])("by %s", async (text) => {
    const shown = await run(text).then(JSON.stringify, String);
    expect(shown).not.toContain(dataFolder);
    expect(shown).not.toMatch(/\/(root|home|tmp|var)\b/);
  });
});

describe("ordinary analytics pass:", () => {
  test.each([
    "SELECT 1",
    "FROM sales",
    "FROM sales SELECT status, sum(amount) AS total GROUP BY ALL ORDER BY ALL",
    "TABLE sales",
    "VALUES (1, 'a'), (2, 'b')",
    "(SELECT 1) UNION ALL BY NAME (SELECT 2) ORDER BY 1 LIMIT 1 OFFSET 1",
    "SELECT * EXCLUDE (tags) REPLACE (upper(status) AS status) RENAME (day AS date) FROM sales",
    "SELECT COLUMNS('s.*'), COLUMNS(c -> c LIKE 'a%') FROM sales",
    "SELECT min(COLUMNS(* EXCLUDE (detail))) FROM sales",
    "SELECT status, count(*) FILTER (WHERE amount > 5), string_agg(status, ',' ORDER BY day) FROM sales GROUP BY ROLLUP (status)",
    "SELECT grouping(status), approx_count_distinct(day), quantile_cont(amount, 0.5), mode(status) FROM sales GROUP BY CUBE (status)",
    "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount), histogram(status), arg_max(day, amount) FROM sales",
    "SELECT row_number() OVER w, lag(amount, 1, 0) OVER w, sum(amount) OVER (ORDER BY day RANGE BETWEEN INTERVAL 7 DAYS PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM sales WINDOW w AS (PARTITION BY status ORDER BY day)",
    "SELECT * FROM sales QUALIFY rank() OVER (PARTITION BY status ORDER BY amount DESC) = 1",
    "SELECT DISTINCT ON (status) status, day FROM sales ORDER BY status, day DESC",
    "SELECT * FROM sales a ASOF JOIN sales b ON a.status = b.status AND a.day >= b.day",
    "SELECT * FROM sales POSITIONAL JOIN (SELECT 1 AS one)",
    "SELECT * FROM sales SEMI JOIN sales b USING (status), LATERAL (SELECT day + 1)",
    "SELECT * FROM sales a NATURAL JOIN sales b ANTI JOIN sales c USING (day)",
    "SELECT * FROM sales USING SAMPLE reservoir(10 ROWS) REPEATABLE (3)",
    "SELECT * FROM sales TABLESAMPLE 50%",
    "WITH a AS MATERIALIZED (SELECT 1 AS x), b AS (FROM a) SELECT * FROM b",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n) FROM t",
    "PIVOT sales ON status IN ('paid', 'open') USING sum(amount), count(*) GROUP BY day",
    "FROM sales PIVOT (sum(amount) FOR status IN ('paid') GROUP BY day)",
    "UNPIVOT (SELECT 1 AS a, 2 AS b) ON a, b INTO NAME n VALUE v",
    "UNPIVOT (SELECT 1 AS a, 2 AS b) ON COLUMNS(*)",
    "SUMMARIZE sales",
    "SUMMARIZE SELECT amount FROM sales",
    "DESCRIBE sales",
    "DESCRIBE SELECT upper(status) FROM sales",
    "SHOW TABLES",
    "SHOW ALL TABLES",
    "SHOW TABLES FROM main",
    "EXPLAIN SELECT sum(amount) FROM sales",
    "EXPLAIN ANALYZE SELECT sum(amount) FROM sales",
    "/* why */ EXPLAIN (FORMAT JSON) SELECT 1",
    "EXPLAIN (SELECT 1)",
    "SELECT 'explain' AS explain FROM sales",
    "SELECT list_transform(tags, lambda t: upper(t)), list_filter([1, 2], x -> x > 1), [x * 2 FOR x IN [1, 2] IF x > 1] FROM sales",
    "SELECT tags[1], tags[1:2], detail.a, detail['a'], status[1], unnest(tags) FROM sales",
    "SELECT list_aggregate([1, 2], 'sum'), list_sort([2, 1]), array_value(1, 2), [1, 2]::INTEGER[2], flatten([[1]])",
    "SELECT unnest({'a': 1, 'b': {'c': 2}}, recursive := true)",
    "SELECT * FROM unnest([1, 2]) WITH ORDINALITY",
    "SELECT * FROM range(3), generate_series(DATE '2026-01-01', DATE '2026-01-03', INTERVAL 1 DAY)",
    `SELECT '{"a": [1, 2]}'::JSON -> '$.a', '{"a": 1}' ->> 'a', json_extract('{"a": 1}', '$.a'), to_json({'a': 1}), from_json('{"a": 1}', '{"a": "INTEGER"}')`,
    `SELECT * FROM json_each('{"a": 1}')`,
    "SELECT MAP {'a': 1}['a'], union_value(n := 1), struct_pack(a := 1), row(1, 2), {'a': 1}",
    "SELECT regexp_matches(status, '^p'), regexp_replace(status, 'a', 'b', 'g'), status SIMILAR TO 'p.*', status ~ 'paid', status !~~ 'x%', status ILIKE 'P%' ESCAPE '!' FROM sales",
    "SELECT date_trunc('month', day), extract(year FROM day), day + INTERVAL 1 MONTH, day::TIMESTAMPTZ AT TIME ZONE 'Europe/Berlin', strftime(day, '%Y'), age(day), last_day(day), time_bucket(INTERVAL 1 WEEK, day), datediff('day', day, current_date) FROM sales",
    "SELECT current_date, current_timestamp, now(), today(), localtime, current_user, user, session_user",
    "SELECT CASE WHEN amount > 5 THEN 'a' ELSE 'b' END, coalesce(NULL, 1), nullif(1, 1), ifnull(NULL, 1), if(true, 1, 2), greatest(1, 2), TRY(1 / 0), TRY_CAST('x' AS INTEGER) FROM sales",
    "SELECT 1 IN (1, 2), 1 NOT IN (SELECT 2), 1 BETWEEN 0 AND 2, NULL IS DISTINCT FROM 1, EXISTS (SELECT 1), 1 = ANY ([1]), 1 = ANY (SELECT 1), NOT true, 1 IS NOT NULL, true IS TRUE",
    "SELECT 2 ** 3, 7 // 2, 7 % 2, 5 & 3, 5 | 3, xor(5, 3), ~5, 1 << 2, 4!, @(-1), 'a' || 'b', 'ab' ^@ 'a', [1] && [1], [1] @> [1]",
    "SELECT position('a' IN 'ba'), substring('abc' FROM 2 FOR 1), trim(BOTH 'x' FROM 'xax'), ('a').upper().lower(), ('a' || 'b').length()",
    "SELECT 'a' COLLATE NOCASE = 'A', 'ä' COLLATE de",
    "SELECT 'good'::mood, enum_range(NULL::mood), 1::VARCHAR, 1.5::DOUBLE, '1 day'::INTERVAL, 'ab'::BLOB, 1::HUGEINT, 'f47ac10b-58cc-4372-a567-0e02b2c3d479'::UUID, '101'::BIT, 1::UTINYINT, '10:00'::TIME, '2026-01-01'::TIMESTAMP_NS, 1::VARIANT",
    "SELECT ARRAY(SELECT 1), (SELECT max(amount) FROM sales), #1 FROM sales ORDER BY #1 NULLS FIRST",
    "SELECT hash(1), md5('a'), uuid(), random() < 2, gen_random_uuid(), typeof(1), bar(1, 0, 10), format('{}', 1), printf('%d', 1), levenshtein('a', 'b')",
    "SELECT 12345678901234567890123, 170141183460469231731687303715884105727, 1e10, 0.1, -1, true, NULL, $$text$$",
    "SELECT current_setting('TimeZone'), current_database(), version()",
    "SELECT * FROM information_schema.columns, duckdb_tables() t, pg_catalog.pg_class LIMIT 1",
    "SELECT * FROM sales AT (VERSION => 1) WHERE false LIMIT 0",
    "FROM paid_twice",
    'SELECT "the day" FROM main.paid',
    "SELECT add(1, 2), add(1), test.main.add(3, b := 4)",
    "FROM of_status('paid')",
    "SELECT doubled FROM numbered WHERE id + 1 = 3",
    'FROM "plan.csv"',
  ])("%s", async (text) => {
    const ran = await run(text).catch((error: unknown) => error);
    // Time travel is for catalogs that keep versions; the refusal is DuckDB's own.
    if (text.includes(" AT (")) expect(String(ran)).toContain("time travel");
    else expect(ran).toMatchObject({ fields: expect.any(Array) });
  });

  test("long lists of values, written and bound", async () => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => String(index));
    const count = (list: string[]) =>
      `SELECT count(*) FROM range(20000) t(i) WHERE i IN (${list.join(", ")})`;
    expect((await run(count(numbers))).rows).toEqual([[10_000]]);
    const parameters = numbers.map((_, index) => `$${index + 1}::BIGINT`);
    expect((await run(count(parameters), numbers)).rows).toEqual([[10_000]]);
  });

  test("bound values, whatever they say", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        expect((await run("SELECT $1 || '!'", [text])).rows).toEqual([[`${text}!`]]);
      }),
      { numRuns: 20, examples: [["json_execute_serialized_sql('x')"], ["'; DROP TABLE sales"]] },
    );
  });

  test("texts and names that only look like a refused function", async () => {
    const { rows } = await run(
      `SELECT 'FROM query(1)' AS "query", 'arrow_scan(1, 2, 3)' AS arrow_scan -- read_csv('x')`,
    );
    expect(rows).toEqual([["FROM query(1)", "arrow_scan(1, 2, 3)"]]);
  });
});

test("a refused function is refused at any position of a random statement", async () => {
  const refused = [...expressionFunctions.refused.keys()];
  const allowed = ["upper", "abs", "list_value", "coalesce", "concat", "max", "to_json"];
  const call = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom("1", "'x'", "status", "NULL"),
      fc.tuple(fc.constantFrom(...allowed), tie("expression")).map(([name, inner]) => `${name}(${inner})`),
      tie("expression").map((inner) => `CASE WHEN ${inner} IS NULL THEN [${inner}][1] END`),
      tie("expression").map((inner) => `(SELECT ${inner} LIMIT 1)`),
      tie("expression").map((inner) => `list_transform([1], lambda x: ${inner})`),
      tie("expression").map((inner) => `max(1) FILTER (WHERE (SELECT ${inner}) IS NULL) OVER ()`),
      tie("expression").map((inner) => `CAST({'a': ${inner}} AS VARCHAR)`),
    ),
  })).expression;
  await fc.assert(
    fc.asyncProperty(call, call, fc.constantFrom(...refused), async (outer, inner, name) => {
      const quoted = `"${name.toUpperCase()}"(${inner})`;
      const text = `SELECT concat(${outer}, ${quoted}) FROM sales`;
      expect(await refusal(run(text))).toContain(`${name}() is not available`);
    }),
    { numRuns: 60 },
  );
});
