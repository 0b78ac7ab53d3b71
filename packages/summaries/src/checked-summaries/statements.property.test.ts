import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fixedPoint } from "../digest/testing/fixed-point.ts";
import { checkLine } from "./check-line.ts";
import { Operation } from "./slot.ts";

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.nat(6))
  .map(([units, scale]) => {
    const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
    const point = digits.length - scale;
    return `${units < 0n ? "-" : ""}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ""}`;
  });
const values = fc.array(decimal, { minLength: 2, maxLength: 6 });
const names = ["Ant", "Bee", "Cat", "Dog", "Elk", "Fox"];

const columns = [
  { name: "name", type: "string" },
  { name: "amount", type: "decimal" },
];

function publish(text: string, now: readonly string[], before?: readonly string[]): string {
  const rowsOf = (given: readonly string[]) => given.map((value, i) => [names[i] ?? "", value]);
  const result = { columns, rows: rowsOf(now), ...(before && { before: rowsOf(before) }) };
  const line = { language: "en", today: "2026-11-16", results: [result], text };
  const checked = checkLine(JSON.stringify(line), new Date("2026-11-16"));
  if ("error" in checked || checked.published === null) throw new Error(JSON.stringify(checked));
  return checked.published;
}

const one = 10n ** 340n;
const exact = (text: string): bigint => fixedPoint(text) ?? 0n;
const size = (value: bigint): bigint => (value < 0n ? -value : value);

/** Whether a written number is this one, to half a hundredth or, below one, to three digits. */
function expectNumber(written: string | undefined, value: bigint): void {
  const plain = (written ?? "").replaceAll(",", "");
  expect(plain).toMatch(/^-?\d+(?:\.\d+)?$|^-?\d(?:\.\d+)? × 10\^-\d+$/);
  const [mantissa = "", exponent] = plain.split(" × 10^");
  const error = size(exact(exponent === undefined ? mantissa : `${mantissa}e${exponent}`) - value);
  const tolerance = size(value) >= one ? one / 200n : size(value) / 200n;
  expect(error <= tolerance).toBe(true);
  expect(plain.startsWith("-")).toBe(value < 0n);
}

const sum = (given: readonly string[]): bigint => given.reduce((total, value) => total + exact(value), 0n);

describe("a statement about any numbers says what they are, computed in another way", () => {
  test("totals, averages and extremes", () => {
    fc.assert(
      fc.property(values, (given) => {
        const all = given.map(exact);
        const total = sum(given);
        const [written] = /[-\d.,]+(?: × 10\^-\d+)?/.exec(publish("{{total amount}}.", given)) ?? [];
        expectNumber(written, total);
        const [, average] = /is (\S+(?: × 10\^-\d+)?) \(/.exec(publish("{{average amount}}.", given)) ?? [];
        expectNumber(average, total / BigInt(given.length));
        const sorted = all.toSorted((a, b) => (a < b ? -1 : 1));
        const [lowest = 0n, highest = 0n] = [sorted[0], sorted.at(-1)];
        const numberIn = (text: string) => /is (-?[\d,.]+(?: × 10\^-\d+)?)\.$/.exec(text)?.[1];
        expectNumber(numberIn(publish("{{smallest amount}}.", given)), lowest);
        expectNumber(numberIn(publish("{{largest amount}}.", given)), highest);
      }),
      { numRuns: 200 },
    );
  });

  test("comparisons have the right direction and size", () => {
    const form =
      /is \S+(?: × 10\^-\d+)?, (?:(?<same>the same as)|(?<size>-?[\d,.]+(?: × 10\^-\d+)?)(?: \([\d,.]+%\))? (?<way>more|less) than)/;
    fc.assert(
      fc.property(values, (given) => {
        const text = publish("{{compare amount row=Ant with=Bee}}.", given);
        const difference = exact(given[0] ?? "") - exact(given[1] ?? "");
        const { same, size: by, way } = form.exec(text)?.groups ?? {};
        expect([same !== undefined, way]).toEqual([
          difference === 0n,
          difference === 0n ? undefined : difference > 0n ? "more" : "less",
        ]);
        if (difference !== 0n) expectNumber(by, size(difference));
      }),
      { numRuns: 300 },
    );
  });

  test("changes since the last run have the right direction", () => {
    fc.assert(
      fc.property(values, values, (now, before) => {
        const text = publish("{{change amount row=Bee since=last_run}}.", now, before);
        const difference = exact(now[1] ?? "") - exact(before[1] ?? "");
        const word = difference === 0n ? "did not change" : difference > 0n ? "rose by" : "fell by";
        expect(text).toContain(`Amount for "Bee" ${word}`);
      }),
      { numRuns: 300 },
    );
  });

  test("the highest is the highest, and a rank counts those above", () => {
    const distinct = fc.uniqueArray(decimal, { minLength: 2, maxLength: 6, selector: exact });
    fc.assert(
      fc.property(distinct, (given) => {
        const ordered = given.toSorted((a, b) => (exact(a) < exact(b) ? 1 : -1));
        const first = names[given.indexOf(ordered[0] ?? "")];
        expect(publish("{{top amount}}.", given).startsWith(`"${first}" has the highest amount, `)).toBe(
          true,
        );
        const place = ordered.indexOf(given[1] ?? "") + 1;
        expect(publish("{{rank amount row=Bee}}.", given)).toContain(
          `"Bee" is number ${place} of ${given.length} by amount`,
        );
      }),
      { numRuns: 200 },
    );
  });
});

describe("whatever is written of whatever results", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.constantFrom(
      "France",
      "evil.com",
      "2026-10",
      "last",
      "{{count}}",
      "-1",
      "a\u202eb",
      '"',
      "\\",
      "'",
      "}}",
      "NaN",
    ),
  );
  const cell = fc.oneof(
    text,
    decimal,
    fc.double(),
    fc.constantFrom("2026-10-01", "2026-11-05T10:00:00Z", "2026-09", 2026, true, null, "Infinity", "1e300"),
  );
  const names = fc.constantFrom(
    "month",
    "country",
    "revenue",
    "year",
    "is_open",
    "a b",
    "row",
    "Ünïté",
    "x,y",
    "",
  );
  const types = fc.constantFrom(
    "integer",
    "number",
    "decimal",
    "boolean",
    "string",
    "date",
    "time",
    "timestamp",
    "json",
    "binary",
  );
  const table = fc
    .array(fc.record({ name: fc.oneof(names, text), type: types }), { minLength: 1, maxLength: 5 })
    .chain((columns) => {
      const rows = fc.array(fc.array(cell, { minLength: columns.length, maxLength: columns.length }), {
        maxLength: 6,
      });
      return fc.record({
        title: text,
        columns: fc.constant(columns),
        rows,
        before: rows,
        cut: fc.boolean(),
        isOwnSql: fc.boolean(),
      });
    });
  const operation = fc.constantFrom(...Operation.options);
  const attribute = fc
    .tuple(
      fc.constantFrom(
        ...[
          "column",
          "row",
          "period",
          "dates",
          "versus",
          "with_column",
          "by",
          "n",
          "op",
          "from",
          "since",
          "run",
          "columns",
        ],
        ...["month", "country", "revenue", "year", "is_open", '"a b"', "result"],
      ),
      fc.constantFrom("=", "!=", "<", ">=", " = "),
      fc.oneof(
        names,
        text,
        fc.constantFrom("last_run", "previous", "2026", "2026-Q3", "1", "3", "total", "r1", "r1_before"),
      ),
    )
    .map(([name, comparator, value]) => `${name}${comparator}${JSON.stringify(value)}`);
  const slot = fc
    .tuple(operation, fc.array(attribute, { maxLength: 4 }))
    .map(([word, attributes]) => `{{${word} ${attributes.join(" ")}}}`);
  const summary = fc
    .array(
      fc.oneof({ arbitrary: slot, weight: 5 }, fc.constantFrom(" and ", ". ", "In short, ", ", "), text),
      { maxLength: 8 },
    )
    .map((pieces) => pieces.join(""));

  test("nothing breaks, and what is published is plain text", () => {
    fc.assert(
      fc.property(table, summary, fc.constantFrom("en", "de", "fr", "es"), (result, written, language) => {
        const line = { language, today: "2026-11-16", results: [result], text: written };
        const checked = checkLine(JSON.stringify(line), new Date("2026-11-16"));
        if ("error" in checked || checked.published === null) return;
        expect(checked.published).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
        expect(checked.published).not.toMatch(/evil|undefined|\[object/);
        expect(checked.published.length).toBeLessThanOrEqual(600);
      }),
      { numRuns: 1_000 },
    );
  });
});
