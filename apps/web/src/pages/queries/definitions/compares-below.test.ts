import { describe, expect, test } from "vitest";
import { comparesBelow } from "./compares-below.ts";

/** Ways to write the end of a range. */
const operands = [
  "{{until}}",
  "{{ until }}",
  "'{{until}}'",
  "DATE '{{until}}'",
  "({{until}})",
  "(({{until}}))",
  "{{until}}::date",
  "({{until}}::timestamp)::date",
  "{{until}}::timestamp with time zone AT TIME ZONE 'UTC'",
  "CAST({{until}} AS date)",
  "TRY_CAST(({{until}}) AS timestamp(3))",
  "date({{until}})",
  "date_trunc('day', {{until}})",
  "coalesce({{until}}, (SELECT max(x) FROM t WHERE x <= 5), 1)",
  "{{until}} + 1",
  "{{until}}::date + INTERVAL '1 day'",
  "1 + {{until}} /* the end */",
] as const;

/** Comparisons with it, and whether days before it count and it does not. */
const comparisons = [
  ["day < X", true],
  ["day::date<X", true],
  ["X > day", true],
  ["X>CAST(day AS date)", true],
  ["(day < X)", true],
  ["day <= X", false],
  ["day > X", false],
  ["day >= X", false],
  ["day = X", false],
  ["day <> X", false],
  ["X < day", false],
  ["X >= day", false],
  ["day BETWEEN {{since}} AND X", false],
  ["day IN (X)", false],
] as const;

const statements = [
  "SELECT 1 FROM t WHERE COMPARISON",
  "SELECT 1 FROM t WHERE day >= {{since}} AND COMPARISON",
  "SELECT 1 FROM t WHERE COMPARISON AND other < 5",
  "SELECT 1 FROM t WHERE (a < 3 OR COMPARISON) AND 3 > b ORDER BY 1",
  "SELECT a < 1, count(*) FILTER (WHERE COMPARISON) FROM t",
  "SELECT CASE WHEN COMPARISON THEN 1 ELSE 0 END < 1",
  "SELECT 1 FROM t WHERE x < (SELECT max(y) FROM s WHERE COMPARISON)",
  "SELECT 1 -- day < {{until}}\nFROM t WHERE COMPARISON",
  "SELECT 1 FROM t JOIN s ON COMPARISON WHERE day < {{since}}",
];

describe.for(comparisons)("%s", ([comparison, isBelow]) => {
  test.for(operands)(`with %s is below: ${isBelow}`, (operand) => {
    for (const statement of statements) {
      const sql = statement.replace("COMPARISON", comparison.replace("X", operand));
      expect({ sql, isBelow: comparesBelow(sql, "until") }).toEqual({ sql, isBelow });
    }
  });
});

test("a statement that is being typed is read as far as it goes", () => {
  expect(comparesBelow("SELECT 1 WHERE day < ({{until}}", "until")).toBe(true);
  expect(comparesBelow("SELECT 1 WHERE day < 'a {{until}", "until")).toBe(false);
  expect(comparesBelow("SELECT {{until}}", "until")).toBe(false);
});
