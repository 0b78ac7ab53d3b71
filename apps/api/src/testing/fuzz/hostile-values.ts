import fc from "fast-check";
import { symbolOf } from "./symbols.ts";

/** Texts that have broken other programs: what databases, paths, headers, templates and encodings treat specially. */
export const hostileTexts = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udfff text",
  "\ufeff",
  "\u202egnp.exe",
  "a\u0301".repeat(50),
  "👩‍👩‍👧‍👦",
  "\r\nset-cookie: session=1",
  "line\nline\r\n\tline",
  "' OR '1'='1",
  "'; DROP TABLE organizations; --",
  '") UNION SELECT * FROM users --',
  "1; SELECT pg_sleep(60)",
  "$1",
  "%s%n%x",
  "\\",
  "\\u0000",
  "../../../../etc/passwd",
  "..%2f..%2fetc%2fpasswd",
  "/dev/zero",
  "C:\\Windows\\win.ini",
  "file:///etc/passwd",
  "http://127.0.0.1:1/",
  "http://169.254.169.254/latest/meta-data/",
  "https://[::ffff:10.0.0.1]/",
  "https://user:password@name.invalid/",
  "javascript:alert(1)",
  "{{n}}",
  "{{constructor}}",
  "{{{{n}}}}",
  "\u0024{7*7}",
  "#{7*7}",
  "<%= 7*7 %>",
  "<script>alert(1)</script>",
  '<LineChart onClick={alert}><Line dataKey="x" /></LineChart>',
  "=HYPERLINK(1)",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "NaN",
  "-0",
  "1e400",
  "9".repeat(400),
  "2026-02-30T25:61:61Z",
  "-271821-04-20T00:00:00.000Z",
  "+275760-09-13T00:00:00.001Z",
  "0000-01-01T00:00:00Z",
  "* * * * * * *",
  "0 0 31 2 *",
  "00000000-0000-0000-0000-000000000000",
  "ffffffff-ffff-ffff-ffff-ffffffffffff",
  "x".repeat(70_000),
  "é".repeat(2_001),
  symbolOf("theirs", "slug", 0),
  `../${symbolOf("theirs", "slug", 0)}.test.duckdb`,
  `${symbolOf("theirs", "slug", 0)}.test.duckdb`,
];

/** Statements for fields of SQL: some run, some are refused before, some fail in the engine. */
export const statements = [
  "SELECT 1 AS n",
  "SELECT name, weight FROM fruits",
  "SELECT {{n}} AS n",
  "SELECT '{{n}}' AS text, {{n}} + 1 AS more",
  "SELECT * FROM range(100) t(n) WHERE n IN ({{list}})",
  "SELECT 1; SELECT 2",
  "SELECT * FROM read_csv('/etc/passwd')",
  `SELECT * FROM '${symbolOf("theirs", "slug", 0)}.test.duckdb'`,
  `ATTACH '${symbolOf("theirs", "slug", 0)}.test.duckdb' AS other`,
  "COPY fruits TO '/tmp/fruits.csv'",
  "SELECT getenv('SEALING_KEYS')",
  "SELECT pg_read_file('/etc/passwd')",
  "SELECT $1, ?",
  "SELECT 'never closed",
  "/* never closed",
  "SELECT {{",
  "SELECT {{a b}}",
  "PRAGMA database_list",
  "WITH RECURSIVE t AS (SELECT 1) SELECT * FROM t",
  "SELECT 1/0, 'a'::INTEGER",
  "SELECT unnest([1, 2, NULL]), {'a': 1}, MAP {'k': 'v'}, 'NaN'::DOUBLE, 1e308 * 10",
  `${"(".repeat(500)}SELECT 1${")".repeat(500)}`,
];

const hostileNumbers = [
  0,
  -0,
  -1,
  0.1,
  1e-320,
  2 ** 31,
  -(2 ** 31) - 1,
  2 ** 53,
  2 ** 63,
  Number.MAX_SAFE_INTEGER,
  Number.MAX_VALUE,
  -Number.MAX_VALUE,
];

/** Values of the wrong kind, among them some that JSON has and JavaScript treats specially. */
const hostileStructures: unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  JSON.parse('{"__proto__":{"isAdmin":true}}'),
  JSON.parse('{"constructor":{"prototype":{"isAdmin":true}}}'),
  JSON.parse('{"toString":1,"valueOf":null,"then":"x","toJSON":"x","length":-1}'),
  { $ne: null },
  { 0: "a", length: 1 },
  Array.from({ length: 1_001 }, () => ({})),
  Array.from({ length: 30_000 }, () => 0),
  Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`field${at}`, at])),
  nested(99),
  nested(150),
];

function nested(depth: number): unknown {
  let value: unknown = "deep";
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

export const hostileText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom(...statements) },
);

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.constantFrom(...hostileNumbers) },
  { weight: 2, arbitrary: fc.constantFrom(...hostileStructures) },
);
