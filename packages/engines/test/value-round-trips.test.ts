import { beforeAll, describe, expect, test } from "vitest";
import { execute, runInDuckdb, withPostgres } from "./real-databases.ts";

type Case = [expression: string, type: string, value: unknown];

/** What means the same on both engines. */
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

const createMood = "CREATE TYPE mood AS ENUM ('sad', 'happy')";

describe.each([
  ["duckdb" as const, [...shared, ...onDuckdb], () => runInDuckdb(createMood)],
  ["postgres" as const, [...shared, ...onPostgres], () => withPostgres((client) => client.query(createMood))],
])("on %s", (engine, cases, prepare) => {
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
    const series = engine === "duckdb" ? "range(1, 20001) t(i)" : "generate_series(1, 20000) t(i)";
    const { rows } = await execute(engine, { text: `SELECT i FROM ${series} ORDER BY i`, values: [] });
    expect(rows).toEqual(Array.from({ length: 20_000 }, (_, index) => [index + 1]));
  });
});
