import type { ParameterType, ParameterValue } from "@querybell/domain";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dialectOf, type EngineKind } from "../src/databases.ts";
import { toArgument } from "../src/parameters/argument.ts";
import { compileStatement } from "../src/placeholders/compile-statement.ts";
import { parseStatement } from "../src/placeholders/statement.ts";
import { engineKinds, execute } from "./real-databases.ts";

type Parameters = Record<string, [ParameterType, ParameterValue]>;

function compile(engine: EngineKind, sql: string, parameters: Parameters) {
  const filled = Object.entries(parameters).map(
    ([name, [type, value]]) => [name, toArgument(type, value)] as const,
  );
  return compileStatement(parseStatement(sql, dialectOf(engine)), new Map(filled));
}

/** The types and rows; DuckDB names a column without a name after its text, so names may differ. */
async function typesAndRows(engine: EngineKind, statement: { text: string; values: string[] }) {
  const { fields, rows } = await execute(engine, statement);
  return { types: fields.map((field) => field.type), rows };
}

/** Runs a statement both ways, checks that they agree, and gives the rows. */
async function bothWays(engine: EngineKind, sql: string, parameters: Parameters) {
  const { text, values, renderedSql } = compile(engine, sql, parameters);
  const bound = await typesAndRows(engine, { text, values });
  expect(await typesAndRows(engine, { text: renderedSql, values: [] })).toEqual(bound);
  return bound.rows;
}

const nastyPieces = [
  "'",
  "''",
  '"',
  "\\",
  "\\'",
  "--",
  "/*",
  "*/",
  "$$",
  "$1",
  "{{p0}}",
  ";",
  "\n",
  "\r",
  "\u2028",
  "%",
  "?",
  "😀",
  "é",
  "\u0001",
  "E'",
  ":x",
  "`",
  "\ufeff",
  "\u00a0",
];
const nasty = fc.array(fc.constantFrom(...nastyPieces), { maxLength: 12 }).map((pieces) => pieces.join(""));
const anyText = fc
  .oneof(nasty, fc.string({ unit: "binary", maxLength: 40 }), fc.string({ unit: "grapheme" }))
  .filter((text) => !text.includes("\0") && text.isWellFormed());
// Connecting is what costs, so each statement carries many values.
const texts = fc.array(anyText, { minLength: 25, maxLength: 25 });
const asParameters = (values: string[]): Parameters =>
  Object.fromEntries(values.map((value, index) => [`p${index}`, ["string", value]]));

describe.each(engineKinds)("on %s", (engine) => {
  test("SELECT {{p}} gives back any string, bound and rendered", async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (values) => {
        const sql = `SELECT ${values.map((_, index) => `{{p${index}}}`).join(", ")}`;
        expect(await bothWays(engine, sql, asParameters(values))).toEqual([values]);
      }),
      { numRuns: 15 },
    );
  });

  test("a string of 100 kB comes back whole", async () => {
    const long = "'\\😀\n--".repeat(12_500);
    expect(await bothWays(engine, "SELECT {{p}}, '<{{p}}>'", { p: ["string", long] })).toEqual([
      [long, `<${long}>`],
    ]);
  });

  test("inside a literal of any kind the value is part of that string", async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (values) => {
        const columns = values.map((_, index) => {
          const name = `{{p${index}}}`;
          return `'it''s ${name}\\', E'\\\\\\x41\\n${name}\\'', $q$$$'${name}$q$`;
        });
        const expected = values.flatMap((value) => [`it's ${value}\\`, `\\A\n${value}'`, `$$'${value}`]);
        expect(await bothWays(engine, `SELECT ${columns.join(", ")}`, asParameters(values))).toEqual([
          expected,
        ]);
      }),
      { numRuns: 6 },
    );
  });

  test("inside a comment it is left alone, whatever the value", async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (p) => {
        const sql = "SELECT 1 -- {{p}}\n, /* {{p}} /* {{p}} */ */ 2 -- {{p}}";
        expect(compile(engine, sql, { p: ["string", p] }).renderedSql).toBe(sql);
        expect(await bothWays(engine, sql, { p: ["string", p] })).toEqual([[1, 2]]);
      }),
      { numRuns: 5 },
    );
  });

  test.each<[ParameterType, ParameterValue[]]>([
    [
      "integer",
      [
        0,
        1,
        -1,
        2147483647,
        -2147483648,
        2147483648,
        9007199254740991,
        "9007199254740993",
        "9223372036854775807",
        "-9223372036854775808",
      ],
    ],
    ["number", [0, 1, -1.5, 0.1, 123456789.125, 1e15, -1e-7]],
    ["boolean", [true, false]],
    ["date", ["2024-02-29", "0001-01-01", "9999-12-31"]],
    ["timestamp", ["2024-02-29T23:59:59.123456Z", "1969-12-31T23:59:59.5Z", "0001-01-01T00:00:00Z"]],
    ["integer[]", [[1, 2], [], [5, "9223372036854775807"]]],
    ["string[]", [["a", "b'c\\", "{}", '"', "NULL", ""], []]],
    ["number[]", [[0.5, 2]]],
  ])("the type %s gives back its values", async (type, values) => {
    const parameters = Object.fromEntries(
      values.map((value, index): [string, [ParameterType, ParameterValue]] => [`p${index}`, [type, value]]),
    );
    const [row] = await bothWays(
      engine,
      `SELECT ${values.map((_, index) => `{{p${index}}}`).join(", ")}`,
      parameters,
    );
    // Postgres takes numbers as numeric, which travels as text.
    const plain = row?.map((value) => (type.startsWith("number") ? [value].flat().map(Number) : value));
    expect(plain).toEqual(type.startsWith("number") ? values.map((value) => [value].flat()) : values);
  });

  test("any integer and any number survive", async () => {
    const integers = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const doubles = fc.double({ noDefaultInfinity: true, noNaN: true });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(integers, doubles), { minLength: 20, maxLength: 20 }),
        async (pairs) => {
          const parameters: Parameters = {};
          for (const [at, [whole, real]] of pairs.entries()) {
            parameters[`i${at}`] = ["integer", String(whole)];
            parameters[`n${at}`] = ["number", real + 0];
          }
          const [row = []] = await bothWays(
            engine,
            `SELECT ${Object.keys(parameters)
              .map((name) => `{{${name}}}`)
              .join(", ")}`,
            parameters,
          );
          expect(row.map((value, at) => (at % 2 === 0 ? String(value) : Number(value)))).toEqual(
            pairs.flatMap(([whole, real]) => [String(whole), real + 0]),
          );
        },
      ),
      { numRuns: 5 },
    );
  });

  test.each([
    ["SELECT 1 WHERE 'b' = {{s}}", [[1]]],
    ["SELECT 1 WHERE {{s}} = 'b' AND {{s}} <> 'c'", [[1]]],
    ["SELECT {{s}} || {{s}}", [["bb"]]],
    ["SELECT -{{n}}, {{n}}-1, 10 -{{n}}, {{n}}*{{n}}", [[-2, 1, 8, 4]]],
    ["SELECT CASE WHEN {{n}}>1 THEN {{s}} ELSE 'x' END", [["b"]]],
    ["SELECT x FROM (VALUES (1),(2),(3)) t(x) WHERE x IN ({{ids}}) ORDER BY x", [[1], [3]]],
    ["SELECT x FROM (VALUES (1),(2),(3)) t(x) WHERE x NOT IN ({{ids}}) ORDER BY x", [[2]]],
    ["SELECT x FROM (VALUES (1),(2),(3)) t(x) WHERE x IN{{ids}} ORDER BY x", [[1], [3]]],
    ["SELECT x FROM (VALUES (1),(2),(3)) t(x) WHERE x IN ({{ids}}, {{n}}) ORDER BY x", [[1], [2], [3]]],
    ["SELECT x FROM (VALUES (1),(2),(3)) t(x) WHERE x = ANY({{ids}}) ORDER BY x", [[1], [3]]],
    ["SELECT x FROM (VALUES (1),(2)) t(x) WHERE x IN ({{none}})", []],
    ["SELECT x FROM (VALUES (1),(2)) t(x) WHERE x NOT IN ( {{none}} ) ORDER BY x", [[1], [2]]],
    ["SELECT x FROM (VALUES ('a'),('b')) t(x) WHERE x IN ({{names}}) ORDER BY x LIMIT {{n}}", [["a"], ["b"]]],
    ["SELECT x FROM (VALUES (3),(1),(2)) t(x) ORDER BY {{n}}, x LIMIT {{n}}", [[1], [2]]],
    ["SELECT count(*), {{s}} FROM (VALUES (1),(2)) t(x) GROUP BY {{s}}", [[2, "b"]]],
    ["SELECT 'abc' LIKE '%{{s}}%', 'abc' LIKE{{s}}", [[true, false]]],
    ["SELECT DATE '{{d}}' + 1 > {{d}}", [[true]]],
    ["SELECT {{d}} BETWEEN '{{d}}' AND {{d}}", [[true]]],
    ["SELECT CAST({{t}} AS date) = {{d}}", [[true]]],
    [
      "SELECT TIMESTAMP '2024-01-31 00:00:00' - INTERVAL '{{n}} days' = TIMESTAMP '2024-01-29 00:00:00'",
      [[true]],
    ],
    [
      "SELECT coalesce({{s}}, 'x'), concat('<', {{s}}, '>'), upper({{s}}), {{s}} IS NULL",
      [["b", "<b>", "B", false]],
    ],
    ["SELECT left('abc', {{n}}), round(1.239, {{n}}) > 1.23", [["ab", true]]],
    ["SELECT {{s}}::varchar, ({{s}}), {{ s }}as x,{{s}}", [["b", "b", "b", "b"]]],
  ])("%s", async (sql, rows) => {
    expect(
      await bothWays(engine, sql, {
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
        fc.constantFrom("it's\\", "1", "2024-01-01", "a"),
        async (before, after, value) => {
          const sql = `SELECT 'a' ${before}{{p}}${after}`;
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
      { numRuns: 80 },
    );
  });
});

test("a string compared with an enum, a uuid or a date of Postgres takes that type", async () => {
  const uuid = "11111111-1111-1111-1111-111111111111";
  const sql = `SELECT 1 FROM (SELECT '${uuid}'::uuid u, '2024-01-31'::date d) t
    WHERE u = {{u}} AND u IN ({{us}}) AND d >= '{{d}}' AND d BETWEEN {{d}} AND {{d}} AND u NOT IN ({{none}})`;
  expect(
    await bothWays("postgres", sql, {
      u: ["string", uuid],
      us: ["string[]", [uuid]],
      d: ["string", "2024-01-31"],
      none: ["string[]", []],
    }),
  ).toEqual([[1]]);
});
