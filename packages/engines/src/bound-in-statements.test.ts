import { DuckDBConnection } from "@duckdb/node-api";
import type { EngineKind } from "@querybell/domain";
import fc from "fast-check";
import { expect, test } from "vitest";
import { compile, type Parameters, runBoundAndRendered, typesAndRows } from "./testing/bound-and-rendered.ts";
import { describeEngines, withPostgres } from "./testing/real-databases.ts";

type Case = [sql: string, rows: unknown[][]];

const onAll: Case[] = [
  ["SELECT 1 WHERE 'b' = {{s}}", [[1]]],
  ["SELECT 1 WHERE {{s}} = 'b' AND {{s}} <> 'c'", [[1]]],
  ["SELECT {{s}} || {{s}}", [["bb"]]],
  ["SELECT -{{n}}, {{n}}-1, 10 -{{n}}, {{n}}*{{n}}", [[-2, 1, 8, 4]]],
  ["SELECT CASE WHEN {{n}}>1 THEN {{s}} ELSE 'x' END", [["b"]]],
  ["SELECT x FROM (VALUES (1),(2),(3)) t(x) WHERE x IN ({{ids}}) ORDER BY x", [[1], [3]]],
  ["SELECT x FROM (VALUES (1),(2),(3)) t(x) WHERE x NOT IN ({{ids}}) ORDER BY x", [[2]]],
  ["SELECT x FROM (VALUES (1),(2),(3)) t(x) WHERE x IN{{ids}} ORDER BY x", [[1], [3]]],
  ["SELECT x FROM (VALUES (1),(2),(3)) t(x) WHERE x IN ({{ids}}, {{n}}) ORDER BY x", [[1], [2], [3]]],
  ["SELECT x FROM (VALUES (1),(2)) t(x) WHERE x IN ({{none}})", []],
  ["SELECT x FROM (VALUES (1),(2)) t(x) WHERE x NOT IN ( {{none}} ) ORDER BY x", [[1], [2]]],
  ["SELECT x FROM (VALUES ('a'),('b')) t(x) WHERE x IN ({{names}}) ORDER BY x LIMIT {{n}}", [["a"], ["b"]]],
  ["SELECT x FROM (VALUES (3),(1),(2)) t(x) ORDER BY {{n}}, x LIMIT {{n}}", [[1], [2]]],
  ["SELECT count(*), {{s}} FROM (VALUES (1),(2)) t(x) GROUP BY {{s}}", [[2, "b"]]],
  ["SELECT 'abc' LIKE '%{{s}}%', 'abc' LIKE{{s}}", [[true, false]]],
  ["SELECT CAST({{t}} AS date) = {{d}}", [[true]]],
  [
    "SELECT coalesce({{s}}, 'x'), concat('<', {{s}}, '>'), upper({{s}}), {{s}} IS NULL",
    [["b", "<b>", "B", false]],
  ],
];

const withCasts: Case[] = [
  ["SELECT x FROM (VALUES (1),(2),(3)) t(x) WHERE x = ANY({{ids}}) ORDER BY x", [[1], [3]]],
  ["SELECT DATE '{{d}}' + 1 > {{d}}", [[true]]],
  ["SELECT {{d}} BETWEEN '{{d}}' AND {{d}}", [[true]]],
  [
    "SELECT TIMESTAMP '2024-01-31 00:00:00' - INTERVAL '{{n}} days' = TIMESTAMP '2024-01-29 00:00:00'",
    [[true]],
  ],
  ["SELECT left('abc', {{n}}), round(1.239, {{n}}) > 1.23", [["ab", true]]],
  ["SELECT {{s}}::varchar, ({{s}}), {{ s }}as x,{{s}}", [["b", "b", "b", "b"]]],
];

const onTrino: Case[] = [
  ["SELECT x FROM (VALUES (1),(2),(3)) t(x) WHERE contains({{ids}}, x) ORDER BY x", [[1], [3]]],
  ["SELECT cardinality({{none}}), {{names}}[{{n}}]", [[0, "b"]]],
  ["SELECT DATE '{{d}}' + INTERVAL '1' DAY > {{d}}", [[true]]],
  ["SELECT {{d}} BETWEEN DATE'{{d}}' AND {{d}}", [[true]]],
  [
    "SELECT TIMESTAMP '2024-01-31 00:00:00' - INTERVAL '{{n}}' DAY = TIMESTAMP '2024-01-29 00:00:00'",
    [[true]],
  ],
  ["SELECT TIMESTAMP '{{d}} 00:00:00' + interval '{{n}} 03' /**/ day -- to\n to hour > {{d}}", [[true]]],
  ["SELECT substr('abc', 1, {{n}}), round(1.239, {{n}}) > 1.23", [["ab", true]]],
  ["SELECT ({{s}}), {{ s }}as x,{{s}}", [["b", "b", "b"]]],
  ["SELECT count(*) FROM tpch.tiny.nation OFFSET {{n}}", []],
  [
    "SELECT JSON '{\"a\": {{n}}}', DECIMAL '{{n}}.50', UUID '1111111{{n}}-2222-3333-4444-555555555555'",
    [[{ a: 2 }, "2.50", "11111112-2222-3333-4444-555555555555"]],
  ],
];

const cases: Record<EngineKind, Case[]> = {
  duckdb: [...onAll, ...withCasts],
  postgres: [...onAll, ...withCasts],
  trino: [...onAll, ...onTrino],
};

describeEngines("on", (engine) => {
  test.each(cases[engine])("%s", async (sql, rows) => {
    expect(
      await runBoundAndRendered(engine, sql, {
        s: ["string", "b"],
        n: ["integer", 2],
        d: ["date", "2024-01-31"],
        t: ["timestamp", "2024-01-31T10:00:00Z"],
        ids: ["integer[]", [1, 3]],
        none: ["integer[]", []],
        names: ["string[]", ["a", "b"]],
      }),
    ).toEqual(rows);
  });

  test("next to any token, bound and rendered give the same rows or are both refused", async () => {
    const tokens = [
      "",
      " ",
      "1",
      "1.",
      "a",
      "E",
      "e",
      "x",
      "b",
      "U&",
      "N",
      "$",
      "$a$",
      "'a'",
      "'a'\n",
      '"a"',
      "-",
      "- -",
      "+",
      "=",
      "= ",
      "<",
      "<> ",
      "||",
      "(",
      ")",
      "[",
      "]",
      ",",
      ".",
      ":",
      "::",
      "::text",
      " AS x",
      "x",
      ";",
      "/**/",
      "--\n",
      "date ",
      "interval ",
      "timestamp ",
      "IN ",
      "IN (",
      "NOT ",
      "AND ",
      "LIKE ",
      "CASE ",
      ' COLLATE "C"',
      "@",
      "~",
      "!",
      "{",
      "}",
      "*",
      "/",
      "%",
      "^",
      "&",
      "#",
    ];
    const outcome = async (statement: { text: string; values: string[] }) => {
      try {
        return await typesAndRows(engine, statement);
      } catch {
        return "refused";
      }
    };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...tokens),
        fc.constantFrom(...tokens),
        fc.constantFrom("SELECT", "SELECT 'a'", "SELECT 1 WHERE 'a'"),
        fc.constantFrom("it's\\", "1", "2024-01-01", "a"),
        async (before, after, start, value) => {
          const sql = `${start} ${before}{{p}}${after}`;
          let compiled: ReturnType<typeof compile>;
          try {
            compiled = compile(engine, sql, { p: ["string", value] });
          } catch {
            return;
          }
          expect(await outcome({ text: compiled.renderedSql, values: [] }), compiled.renderedSql).toEqual(
            await outcome(compiled),
          );
        },
      ),
      // QUERYBELL_TEST_RUNS=<n> tries more.
      { numRuns: Number(process.env.QUERYBELL_TEST_RUNS ?? (engine === "trino" ? 20 : 80)) },
    );
  });
});

test("a string compared with an enum, a uuid or a date of Postgres takes that type", async () => {
  const uuid = "11111111-1111-1111-1111-111111111111";
  const sql = `SELECT 1 FROM (SELECT '${uuid}'::uuid u, '2024-01-31'::date d) t
    WHERE u = {{u}} AND u IN ({{us}}) AND d >= '{{d}}' AND d BETWEEN {{d}} AND {{d}} AND u NOT IN ({{none}})`;
  expect(
    await runBoundAndRendered("postgres", sql, {
      u: ["string", uuid],
      us: ["string[]", [uuid]],
      d: ["string", "2024-01-31"],
      none: ["string[]", []],
    }),
  ).toEqual([[1]]);
});

test("a time compared with a column, zone or not, finds the same rows in a session of any time zone", async () => {
  const sql = `SELECT z = {{t}} AND w = {{t}} AND z BETWEEN {{t}} AND {{t}} AND w IN ({{t}}) AS same
    FROM (SELECT '2024-01-31 10:00:00+00'::timestamptz AS z, '2024-01-31 10:00:00'::timestamp AS w) q`;
  const parameters: Parameters = { t: ["timestamp", "2024-01-31T10:00:00Z"] };
  for (const engine of ["duckdb", "postgres"] as const) {
    expect(await runBoundAndRendered(engine, sql, parameters)).toEqual([[true]]);
  }

  const elsewhere = "SET TimeZone = 'America/New_York'";
  const { rows } = await withPostgres(async (client) => {
    await client.query(elsewhere);
    return client.query(compile("postgres", sql, parameters).renderedSql);
  });
  expect(rows).toEqual([{ same: true }]);
  const connection = await DuckDBConnection.create();
  await connection.run(elsewhere);
  const reader = await connection.runAndReadAll(compile("duckdb", sql, parameters).renderedSql);
  expect(reader.getRowsJson()).toEqual([[true]]);
  connection.closeSync();
});
