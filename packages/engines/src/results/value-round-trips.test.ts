import type { EngineKind } from "@querybell/domain";
import { beforeAll, expect, test } from "vitest";
import { describeEngines, execute, runInDuckdb, withPostgres } from "../testing/real-databases.ts";

type Case = [expression: string, type: string, value: unknown];

/** What DuckDB and Postgres write alike. */
const shared: Case[] = [
  ["NULL::integer", "integer", null],
  ["42::smallint", "integer", 42],
  ["9007199254740991::bigint", "integer", 9007199254740991],
  ["9007199254740992::bigint", "integer", "9007199254740992"],
  ["'-9223372036854775808'::bigint", "integer", "-9223372036854775808"],
  ["0.1::double precision", "number", 0.1],
  ["1e308::double precision", "number", 1e308],
  ["0.1::real", "number", 0.1],
  ["16777217::real", "number", 16777216],
  ["'NaN'::double precision", "number", "NaN"],
  ["'Infinity'::double precision", "number", "Infinity"],
  ["'-Infinity'::real", "number", "-Infinity"],
  ["12.30::decimal(10,2)", "decimal", "12.30"],
  [
    "'12345678901234567890.123456789012345678'::decimal(38,18)",
    "decimal",
    "12345678901234567890.123456789012345678",
  ],
  ["true", "boolean", true],
  ["'a' || chr(10) || '😀'", "string", "a\n😀"],
  ["'11111111-2222-3333-4444-555555555555'::uuid", "string", "11111111-2222-3333-4444-555555555555"],
  ["'happy'::mood", "string", "happy"],
  ["DATE '2024-02-29'", "date", "2024-02-29"],
  ["'infinity'::date", "date", "infinity"],
  ["'-infinity'::timestamp", "timestamp", "-infinity"],
  ["TIME '10:00:00.5'", "time", "10:00:00.5"],
  ["TIME '23:59:59'", "time", "23:59:59"],
  ["'10:00:00+02'::timetz", "time", "10:00:00+02:00"],
  ["TIMESTAMP '2024-02-29 10:00:00.123456'", "timestamp", "2024-02-29T10:00:00.123456"],
  ["TIMESTAMP '1969-12-31 23:59:59.9'", "timestamp", "1969-12-31T23:59:59.9"],
  ["'2024-02-29 10:00:00+02'::timestamptz", "timestamp", "2024-02-29T08:00:00Z"],
  ["'infinity'::timestamptz", "timestamp", "infinity"],
  ["INTERVAL '14 months 3 days 04:05:06.7'", "string", "P1Y2M3DT4H5M6.7S"],
  ["INTERVAL '-1 day'", "string", "P-1D"],
  ["INTERVAL '0 days'", "string", "PT0S"],
  ["ARRAY[1, NULL, 3]", "json", [1, null, 3]],
  ["ARRAY['a,b', '\"', '{}', 'NULL', '']", "json", ["a,b", '"', "{}", "NULL", ""]],
  [
    "ARRAY[ARRAY[1, 2], ARRAY[3, 4]]",
    "json",
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ["ARRAY[9007199254740993]", "json", ["9007199254740993"]],
  ["ARRAY[1.10, 2.20]", "json", ["1.10", "2.20"]],
  ["ARRAY['happy'::mood]", "json", ["happy"]],
  ["ARRAY[TIMESTAMP '2024-02-29 10:00:00']", "json", ["2024-02-29T10:00:00"]],
  [
    `'{"a": 12345678901234567890, "b": [0.1, 1e2, null], "__proto__": 1}'::json`,
    "json",
    JSON.parse('{"a": "12345678901234567890", "b": [0.1, 100, null], "__proto__": 1}'),
  ],
  [`'"0.12345678901234567890"'::json`, "json", "0.12345678901234567890"],
];

const onDuckdb: Case[] = [
  ["170141183460469231731687303715884105727::hugeint", "integer", "170141183460469231731687303715884105727"],
  ["18446744073709551615::ubigint", "integer", "18446744073709551615"],
  [
    "'12345678901234567890123456789012345678901234567890'::bignum",
    "integer",
    "12345678901234567890123456789012345678901234567890",
  ],
  ["'2024-02-29 10:00:00.123456789'::timestamp_ns", "timestamp", "2024-02-29T10:00:00.123456789"],
  ["'2024-02-29 10:00:00'::timestamp_s", "timestamp", "2024-02-29T10:00:00"],
  ["'0044-03-15 (BC)'::date", "date", "-000043-03-15"],
  ["DATE '12024-01-01'", "date", "+012024-01-01"],
  ["'\\x00\\xFF'::blob", "binary", "AP8="],
  ["'0101'::bit", "string", "0101"],
  [
    "{'a': 1, 'b': {'c': 9007199254740993, '__proto__': 1.5}}",
    "json",
    JSON.parse('{"a": 1, "b": {"c": "9007199254740993", "__proto__": "1.5"}}'),
  ],
  ["row(1, 'x')", "json", [1, "x"]],
  ["[{'t': TIMESTAMPTZ '2024-02-29 10:00:00+00'}, NULL]", "json", [{ t: "2024-02-29T10:00:00Z" }, null]],
  [
    "MAP {'k': 1, 'l': NULL}",
    "json",
    [
      { key: "k", value: 1 },
      { key: "l", value: null },
    ],
  ],
  ["array_value(1, 2)", "json", [1, 2]],
  ["union_value(n := 0.5::float)", "json", { tag: "n", value: 0.5 }],
  ["['{\"a\": 9007199254740993}'::json]", "json", [{ a: "9007199254740993" }]],
];

const onPostgres: Case[] = [
  ["'NaN'::numeric", "decimal", "NaN"],
  ["'-Infinity'::numeric", "decimal", "-Infinity"],
  ["'\\x00ff'::bytea", "binary", "AP8="],
  ["'0044-03-15 BC'::date", "date", "-000043-03-15"],
  ["'0001-01-01 00:00:00+00 BC'::timestamptz", "timestamp", "0000-01-01T00:00:00Z"],
  ["'12024-01-01'::date", "date", "+012024-01-01"],
  ["'[0:1]={7,8}'::int[]", "json", [7, 8]],
  ["ARRAY['\\x01'::bytea]", "json", ["AQ=="]],
  ['ARRAY[\'{"a": "b,c"}\'::jsonb]', "json", [{ a: "b,c" }]],
  ["B'0101'", "string", "0101"],
  ["'[1,5)'::int4range", "string", "[1,5)"],
  ["ROW(1, 'x')", "string", "(1,x)"],
  ["'10.0.0.1'::inet", "string", "10.0.0.1"],
  ["'a'::\"char\"", "string", "a"],
];

const onTrino: Case[] = [
  ["CAST(NULL AS integer)", "integer", null],
  ["SMALLINT '42'", "integer", 42],
  ["BIGINT '9007199254740991'", "integer", 9007199254740991],
  ["BIGINT '9007199254740992'", "integer", "9007199254740992"],
  ["BIGINT '-9223372036854775808'", "integer", "-9223372036854775808"],
  ["DOUBLE '0.1'", "number", 0.1],
  ["DOUBLE '0.30000000000000004'", "number", 0.30000000000000004],
  ["1e308", "number", 1e308],
  ["5e-324", "number", 5e-324],
  ["DOUBLE '-0.0'", "number", 0],
  ["REAL '0.1'", "number", 0.1],
  ["CAST(16777217 AS real)", "number", 16777216],
  ["nan()", "number", "NaN"],
  ["infinity()", "number", "Infinity"],
  ["CAST(-infinity() AS real)", "number", "-Infinity"],
  ["DECIMAL '12.30'", "decimal", "12.30"],
  ["DECIMAL '12345678901234567890.123456789012345678'", "decimal", "12345678901234567890.123456789012345678"],
  ["true", "boolean", true],
  ["'a' || chr(10) || '😀'", "string", "a\n😀"],
  ["CAST('ab' AS char(4))", "string", "ab  "],
  ["UUID '11111111-2222-3333-4444-555555555555'", "string", "11111111-2222-3333-4444-555555555555"],
  ["IPADDRESS '10.0.0.1'", "string", "10.0.0.1"],
  ["IPADDRESS '2001:db8::1'", "string", "2001:db8::1"],
  ["DATE '2024-02-29'", "date", "2024-02-29"],
  ["DATE '-0043-03-15'", "date", "-000043-03-15"],
  ["DATE '12024-01-01'", "date", "+012024-01-01"],
  ["TIME '10:00:00.500'", "time", "10:00:00.5"],
  ["TIME '23:59:59'", "time", "23:59:59"],
  ["TIME '10:00:00 +02:00'", "time", "10:00:00+02:00"],
  ["TIMESTAMP '2024-02-29 10:00:00.123456'", "timestamp", "2024-02-29T10:00:00.123456"],
  ["TIMESTAMP '2024-02-29 10:00:00.123456789012'", "timestamp", "2024-02-29T10:00:00.123456789012"],
  ["TIMESTAMP '1969-12-31 23:59:59.900'", "timestamp", "1969-12-31T23:59:59.9"],
  ["TIMESTAMP '2024-02-29 10:00:00'", "timestamp", "2024-02-29T10:00:00"],
  ["TIMESTAMP '12024-02-29 10:00:00 UTC'", "timestamp", "+012024-02-29T10:00:00Z"],
  ["TIMESTAMP '2024-02-29 10:00:00 +02:00'", "timestamp", "2024-02-29T08:00:00Z"],
  ["TIMESTAMP '2024-02-29 10:00:00.5 Europe/Berlin'", "timestamp", "2024-02-29T09:00:00.5Z"],
  ["TIMESTAMP '2024-07-01 10:00:00 America/New_York'", "timestamp", "2024-07-01T14:00:00Z"],
  ["TIMESTAMP '2024-03-31 03:30:00 Europe/Berlin'", "timestamp", "2024-03-31T01:30:00Z"],
  ["TIMESTAMP '2024-03-31 01:30:00 Europe/Berlin'", "timestamp", "2024-03-31T00:30:00Z"],
  ["TIMESTAMP '2024-10-27 03:30:00 Europe/Berlin'", "timestamp", "2024-10-27T02:30:00Z"],
  ["INTERVAL '14' MONTH", "string", "P1Y2M"],
  ["INTERVAL -'1' MONTH", "string", "P-1M"],
  ["INTERVAL '3 04:05:06.7' DAY TO SECOND", "string", "P3DT4H5M6.7S"],
  ["INTERVAL -'1' DAY", "string", "P-1D"],
  ["INTERVAL '0' DAY", "string", "PT0S"],
  ["ARRAY[1, NULL, 3]", "json", [1, null, 3]],
  ["ARRAY['a,b', '\"', '{}', 'NULL', '']", "json", ["a,b", '"', "{}", "NULL", ""]],
  ["ARRAY[ARRAY[1, 2], NULL]", "json", [[1, 2], null]],
  ["ARRAY[9007199254740993]", "json", ["9007199254740993"]],
  ["ARRAY[1.10, 2.20]", "json", ["1.10", "2.20"]],
  ["ARRAY[nan(), 0.5e0]", "json", ["NaN", 0.5]],
  ["ARRAY[TIMESTAMP '2024-02-29 10:00:00 UTC']", "json", ["2024-02-29T10:00:00Z"]],
  ["ARRAY[X'01']", "json", ["AQ=="]],
  [
    `JSON '{"a": 12345678901234567890, "b": [0.1, 1e2, null], "__proto__": 1}'`,
    "json",
    JSON.parse('{"a": "12345678901234567890", "b": [0.1, 100, null], "__proto__": 1}'),
  ],
  [`JSON '"0.12345678901234567890"'`, "json", "0.12345678901234567890"],
  ["X'00FF'", "binary", "AP8="],
  [
    'CAST(ROW(1, ROW(9007199254740993, 1.5)) AS row(a integer, b row(c bigint, "__proto__" decimal(2, 1))))',
    "json",
    JSON.parse('{"a": 1, "b": {"c": "9007199254740993", "__proto__": "1.5"}}'),
  ],
  ["ROW(1, 'x')", "json", [1, "x"]],
  [
    "MAP(ARRAY['k', 'l'], ARRAY[1, NULL])",
    "json",
    [
      { key: "k", value: 1 },
      { key: "l", value: null },
    ],
  ],
  [
    "MAP(ARRAY[BIGINT '9007199254740993', 1], ARRAY[DATE '2024-02-29', NULL])",
    "json",
    [
      { key: 1, value: null },
      { key: "9007199254740993", value: "2024-02-29" },
    ],
  ],
  ["CAST(approx_set(1) AS hyperloglog) IS NULL", "boolean", false],
];

const createMood = "CREATE TYPE mood AS ENUM ('sad', 'happy')";
const series: Record<EngineKind, string> = {
  duckdb: "range(1, 20001) t(i)",
  postgres: "generate_series(1, 20000) t(i)",
  trino: "TABLE(sequence(1, 20000)) t(i)",
};
const preparations: Record<EngineKind, { cases: Case[]; prepare: () => Promise<unknown> }> = {
  duckdb: { cases: [...shared, ...onDuckdb], prepare: () => runInDuckdb(createMood) },
  postgres: {
    cases: [...shared, ...onPostgres],
    prepare: () => withPostgres((client) => client.query(createMood)),
  },
  trino: { cases: onTrino, prepare: async () => {} },
};

describeEngines("on", (engine) => {
  const { cases, prepare } = preparations[engine];
  beforeAll(async () => {
    await prepare();
  });

  test("every type travels as documented", async () => {
    const columns = cases.map(([expression], index) => `${expression} AS c${index}`);
    const { fields, rows } = await execute(engine, { text: `SELECT ${columns.join(", ")}`, values: [] });
    const seen = cases.map(([expression], index) => [expression, fields[index]?.type, rows[0]?.[index]]);
    expect(JSON.parse(JSON.stringify(seen))).toEqual(cases);
  });

  test("fields keep names that repeat, in order", async () => {
    const { fields, rows } = await execute(engine, { text: 'SELECT 1 AS a, 2 AS a, 3 AS "A b"', values: [] });
    expect(fields.map((field) => field.name)).toEqual(["a", "a", "A b"]);
    expect(rows).toEqual([[1, 2, 3]]);
  });

  test("a result without rows still has its fields", async () => {
    const { fields, rows } = await execute(engine, { text: "SELECT 1 AS a WHERE false", values: [] });
    expect(fields).toEqual([{ name: "a", type: "integer" }]);
    expect(rows).toEqual([]);
  });

  test("many rows come in order, each once", async () => {
    const { rows } = await execute(engine, {
      text: `SELECT i FROM ${series[engine]} ORDER BY i`,
      values: [],
    });
    expect(rows).toEqual(Array.from({ length: 20_000 }, (_, index) => [index + 1]));
  });
});
