import { type Field, FieldType } from "@querybell/domain";
import type { JsonValue } from "@querybell/domain/results";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ResultTable } from "../stored-results/result-table.ts";
import { digestOf } from "./testing/digest-of.ts";

const fields: Field[] = [
  { name: "month", type: "date" },
  { name: "order_id", type: "integer" },
  { name: "product", type: "string" },
  { name: "year", type: "integer" },
  { name: "orders", type: "integer" },
  { name: "revenue", type: "decimal" },
  { name: "weight", type: "number" },
  { name: "avg_price", type: "decimal" },
  { name: "churn_pct", type: "number" },
];

const decimal = fc
  .tuple(
    fc.oneof(
      { arbitrary: fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }), weight: 15 },
      { arbitrary: fc.bigInt({ min: -(10n ** 39n), max: 10n ** 39n }), weight: 1 },
    ),
    fc.nat(12),
  )
  .map(([units, scale]) => {
    const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
    const point = digits.length - scale;
    return `${units < 0n ? "-" : ""}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ""}`;
  });
const integer = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.maxSafeInteger(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 80n }).map(String),
);
const double = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -100, max: 100 }).map((n) => n / 8),
);
const notFinite = { arbitrary: fc.constantFrom("NaN", "Infinity", "-Infinity"), weight: 1 };
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 8 });

const day = fc
  .tuple(fc.constantFrom(2025, 2026), fc.integer({ min: 1, max: 12 }), fc.constantFrom(1, 1, 1, 15))
  .map((parts) => parts.map((part) => String(part).padStart(2, "0")).join("-"));

const row: fc.Arbitrary<JsonValue[]> = fc.tuple(
  day,
  nullable(fc.nat(12)),
  nullable(fc.constantFrom("Kettle", "Pan 12", "Tent 3,000", "No. 7", "7", 'Half a "dozen"', "October", "")),
  fc.constantFrom(2024, 2025, 2026),
  nullable(integer),
  nullable(decimal),
  nullable(fc.oneof({ arbitrary: double, weight: 30 }, notFinite)),
  nullable(fc.oneof({ arbitrary: decimal, weight: 30 }, notFinite)),
  nullable(double),
);

/** Some of the columns, so that the rows are told apart by all, by some and by none. */
const shape = fc.subarray([...fields.keys()], { minLength: 1 });
const tableOf = (columns: number[], keepRows: fc.Arbitrary<JsonValue[][]>): fc.Arbitrary<ResultTable> =>
  fc.record({
    fields: fc.constant(columns.flatMap((column) => fields[column] ?? [])),
    rows: keepRows.map((rows) => rows.map((cells) => columns.map((column) => cells[column] ?? null))),
    cut: fc.oneof({ arbitrary: fc.constant(false), weight: 6 }, { arbitrary: fc.constant(true), weight: 1 }),
  });
const rows = fc.oneof(
  fc.array(row, { maxLength: 8 }),
  fc.uniqueArray(row, { maxLength: 8, selector: ([, id]) => id }),
  fc.uniqueArray(row, { maxLength: 8, selector: ([month]) => month }),
  fc.uniqueArray(row, { maxLength: 8, selector: ([, , product, year]) => `${product} ${year}` }),
);
const comparison = shape.chain((columns) =>
  tableOf(columns, rows).chain((result) => {
    const other = tableOf(columns, rows);
    const edited = fc.tuple(other, fc.nat(columns.length - 1)).map(([table, column]) => ({
      ...result,
      rows: result.rows.map((row, i) => row.with(column, table.rows[i]?.[column] ?? row[column] ?? null)),
    }));
    return fc.record({
      result: fc.constant(result),
      previous: fc.option(fc.oneof(other, edited, fc.constant(result))),
    });
  }),
);
describe("any digest", () => {
  test("of rows and columns of every kind is written", () => {
    fc.assert(
      fc.property(comparison, ({ result, previous }) => {
        const text = digestOf([{ title: "Sales", result, previous, today: "2026-07-10" }]);
        expect(text).toMatch(/^(?:"Sales": )?.+\.$/);
        expect(text).not.toMatch(/NaN|Infinity|undefined|nothing can be said/);
      }),
      { numRuns: 300 },
    );
  });

  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.string({ unit: "grapheme", maxLength: 2000 }),
    fc.constantFrom('"', "\n\u2028\u202e\0", "\ud83d", "9".repeat(500), "👩‍👩‍👧‍👦".repeat(100)),
  );
  const cell = fc.oneof(fc.jsonValue({ maxDepth: 1 }), text, double, decimal, integer, notFinite.arbitrary);
  const anyTable: fc.Arbitrary<ResultTable> = fc.record({
    fields: fc.array(fc.record({ name: text, type: fc.constantFrom(...FieldType.options) }), {
      maxLength: 12,
    }),
    rows: fc.array(fc.array(cell.map(toJson), { maxLength: 12 }), { maxLength: 6 }),
    cut: fc.boolean(),
  });
  const anything = fc.array(
    fc.record({
      title: text,
      result: anyTable,
      previous: fc.option(anyTable),
      today: fc.constant("2026-07-10"),
    }),
    {
      maxLength: 10,
    },
  );

  test("is plain text of at most 600 characters, whatever it reads", () => {
    fc.assert(
      fc.property(anything, (looked) => {
        const digest = digestOf(looked);
        expect(digest.length).toBeGreaterThan(0);
        expect(digest.length).toBeLessThanOrEqual(600);
        expect(digest.isWellFormed()).toBe(true);
        expect(digest).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
        const own = digest.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
        expect(own).not.toContain('"');
        expect(own).not.toMatch(/NaN|Infinity|undefined|\[object/);
      }),
      { numRuns: 200 },
    );
  });
});

const toJson = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value));
