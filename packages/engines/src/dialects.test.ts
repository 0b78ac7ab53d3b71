import { AppError, type ParameterType, type ParameterValue } from "@querybell/domain";
import { compileStatement, type Dialect, originOf, parseStatement, toArgument } from "@querybell/statements";
import { findPlaceholders, tokenize } from "@querybell/statements/tokenizer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { duckdbDialect } from "./duckdb/duckdb-engine.ts";
import { postgresDialect } from "./postgres/postgres-engine.ts";

const sqlish = fc
  .array(
    fc.constantFrom(
      ..."' '' \" E' e'\\' $$ $a$ -- /* */ \n {{p}} {{ p }} {{ ; , ( ) [ ] . :: = <> 1 1.5e3 abc é $1 ? \\ U&' x' {".split(
        " ",
      ),
      " ",
      "😀",
    ),
  )
  .map((pieces) => pieces.join(""));

describe.each([duckdbDialect, postgresDialect])("in $name", (dialect) => {
  test("the tokens of any text, joined, are that text, or it is refused", () => {
    fc.assert(
      fc.property(sqlish, (sql) => {
        try {
          expect(
            tokenize(sql, dialect)
              .map((token) => token.text)
              .join(""),
          ).toBe(sql);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("an editor finds the placeholders that the engine will find", () => {
    fc.assert(
      fc.property(sqlish, (sql) => {
        let placeholders: string[];
        try {
          ({ placeholders } = parseStatement(sql, dialect));
        } catch {
          return;
        }
        expect(findPlaceholders(sql)).toEqual(placeholders);
      }),
      { numRuns: 5000 },
    );
  });
});

const parameters = new Map(
  Object.entries<[ParameterType, ParameterValue]>({
    s: ["string", "O'Brien"],
    back: ["string", "a\\b"],
    n: ["integer", 7],
    minus: ["integer", -7],
    big: ["integer", "9007199254740993"],
    x: ["number", 1.5],
    yes: ["boolean", true],
    d: ["date", "2024-01-31"],
    t: ["timestamp", "2024-01-31T10:00:00Z"],
    ids: ["integer[]", [1, 2]],
    names: ["string[]", ["a", "b'c"]],
    none: ["string[]", []],
  }).map(([name, [type, value]]) => [name, toArgument(type, value)] as const),
);

const compile = (sql: string, dialect: Dialect) => compileStatement(parseStatement(sql, dialect), parameters);

test.each([
  // The whole operand of a comparison is a plain literal.
  ["WHERE a = {{s}}", "WHERE a = $1", "WHERE a = 'O''Brien'"],
  ["WHERE a = {{n}} AND b", "WHERE a = $1::int4 AND b", "WHERE a = 7 AND b"],
  ["LIMIT {{n}} OFFSET {{big}}", "LIMIT $1::int4 OFFSET $2::int8", "LIMIT 7 OFFSET 9007199254740993"],
  ["a >= {{t}}", "a >= $1", "a >= '2024-01-31T10:00:00Z'"],
  ["a >= {{d}}", "a >= $1::date", "a >= '2024-01-31'::date"],
  [
    "a BETWEEN {{s}} AND {{s}} AND {{s}}",
    "a BETWEEN $1 AND $2 AND ($3::text)",
    "a BETWEEN 'O''Brien' AND 'O''Brien' AND ('O''Brien'::text)",
  ],
  ["a <{{minus}}", "a <$1::int4", "a <'-7'::int4"],
  // Anywhere else it gets parentheses and a cast.
  ["SELECT {{s}}", "SELECT ($1::text)", "SELECT ('O''Brien'::text)"],
  ["SELECT {{back}}", "SELECT ($1::text)", "SELECT (E'a\\\\b'::text)"],
  ["ORDER BY {{n}}", "ORDER BY ($1::int4)", "ORDER BY (7::int4)"],
  ["E{{s}}", "E($1::text)", "E('O''Brien'::text)"],
  ["a = {{n}} / 2", "a = ($1::int4) / 2", "a = (7::int4) / 2"],
  ["a LIKE{{s}}", "a LIKE($1::text)", "a LIKE('O''Brien'::text)"],
  ["a = {{s}}and", "a = ($1::text)and", "a = ('O''Brien'::text)and"],
  [
    "{{x}} {{yes}} {{t}}",
    "($1::numeric) ($2::boolean) ($3::timestamptz)",
    "('1.5'::numeric) (true::boolean) ('2024-01-31T10:00:00Z'::timestamptz)",
  ],
  // A literal becomes one bound value.
  ["a LIKE '%{{s}}''%'", "a LIKE $1", "a LIKE '%O''Brien''%'"],
  [
    "concat('{{n}}-{{d}}', $$ {{s}}$$)",
    "concat(($1::text), ($2::text))",
    "concat(('7-2024-01-31'::text), (' O''Brien'::text))",
  ],
  ["E'\\n{{n}}\\x41'", "($1::text)", "('\n7A'::text)"],
  ["E'\\ud83d\\ude00{{n}}'", "($1::text)", "('😀7'::text)"],
  ["a > DATE '{{d}}'", "a >  ($1::DATE)", "a >  ('2024-01-31'::DATE)"],
  ["now() - interval '{{n}} days'", "now() -  ($1::interval)", "now() -  ('7 days'::interval)"],
  // Lists.
  ["a IN ({{ids}})", "a IN ($1::int4, $2::int4)", "a IN (1, 2)"],
  ["a NOT IN ({{names}})", "a NOT IN ($1, $2)", "a NOT IN ('a', 'b''c')"],
  ["a IN {{ids}}", "a IN  ($1::int4, $2::int4)", "a IN  (1, 2)"],
  ["a IN ( {{ids}}, {{n}} )", "a IN ( $1::int4, $2::int4, $3::int4 )", "a IN ( 1, 2, 7 )"],
  ["a IN ({{none}})", "a = ANY ('{}')", "a = ANY ('{}')"],
  ["a NOT IN ({{none}})", "a  <> ALL ('{}')", "a  <> ALL ('{}')"],
  ["a = ANY({{names}})", "a = ANY((ARRAY[$1, $2]::text[]))", "a = ANY((ARRAY['a', 'b''c']::text[]))"],
  // Comments stay as they are.
  ["1 -- {{s}}\n/* {{n}} */", "1 -- {{s}}\n/* {{n}} */", "1 -- {{s}}\n/* {{n}} */"],
])("Postgres: %s", (sql, text, renderedSql) => {
  expect(compile(sql, postgresDialect)).toMatchObject({ text, renderedSql });
});

test("DuckDB keeps backslashes as they are and has its own type names", () => {
  expect(compile("SELECT {{back}}, {{x}} WHERE a IN ({{none}})", duckdbDialect)).toMatchObject({
    text: "SELECT ($1::VARCHAR), ($2::DOUBLE) WHERE a = ANY ([])",
    values: ["a\\b", "1.5"],
    renderedSql: "SELECT ('a\\b'::VARCHAR), ('1.5'::DOUBLE) WHERE a = ANY ([])",
  });
});

test("what cannot be bound is refused with the reason", () => {
  expect(() => compile("SELECT {{unheard_of}}", postgresDialect)).toThrow(/unheard_of/);
  expect(() => compile("a IN ({{none}}, 1)", postgresDialect)).toThrow(/at least one value/);
  expect(() => compile("SELECT '{{ids}}'", postgresDialect)).toThrow(/list/);
  expect(() => compile("INTERVAL '{{n}}' DAY", postgresDialect)).toThrow(/unit inside the string/);
});

test("every place of the compiled text leads back to the text as it was written", () => {
  const sql = "SELECT {{x}} AS a, '{{back}}' AS b, c FROM t WHERE d IN ({{none}}) AND e";
  for (const dialect of [duckdbDialect, postgresDialect]) {
    const { text, origins } = compile(sql, dialect);
    for (const word of ["SELECT", "AS b", "c FROM", "WHERE d", "AND e"]) {
      expect(originOf(origins, text.indexOf(word))).toBe(sql.indexOf(word));
    }
    expect(originOf(origins, text.indexOf("$1"))).toBe(sql.indexOf("{{x}}"));
  }
});
