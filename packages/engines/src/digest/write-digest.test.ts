import type { Field } from "@querybell/domain";
import { describe, expect, test } from "vitest";
import { digestOf } from "./testing/digest-of.ts";
import { digest, monday, orders, product, revenue, table, tuesday, weight } from "./testing/sales.ts";

test("says of a day of sales what a person computing it by hand would say", () => {
  expect(digest(tuesday, monday, "Sales by product")).toBe(
    '"Sales by product": 4 rows, 1 more than before. Total orders 8, up 2 (33.3%), empty in 1 row. ' +
      'Biggest moves of orders: "Kettle" up 2 to 5, "Pan" down 1 to 1. ' +
      '2 new rows; 1 row gone: "Knife". 2 rows changed. Highest orders 5 ("Kettle"), lowest 1 ("Pan"). ' +
      "Total revenue 1,630.48, up 1,279.99 (365.2%), empty in 1 row. " +
      'Highest revenue 1,199.98 ("Tent"), lowest 10.50 ("Pan").',
  );
});

test("the first run compares nothing", () => {
  expect(digest(monday)).toBe(
    '"Sales": 3 rows. Total orders 6. Highest orders 3 ("Kettle"), lowest 1 ("Knife"). ' +
      'Total revenue 350.49. Highest revenue 300.00 ("Kettle"), lowest 9.99 ("Knife").',
  );
});

test("the same rows in another order have not changed", () => {
  expect(digest(monday, { ...monday, rows: monday.rows.toReversed() })).toMatch(
    /^"Sales": 3 rows, nothing changed\. Total orders 6\. /,
  );
});

describe("a single value", () => {
  const one = (value: string | number | null, field = revenue) => table([field], [[value]]);

  test.each([
    ["1234.50", "1200.00", "revenue 1,234.50, up 34.50 (2.9%)."],
    ["1200.00", "1234.50", "revenue 1,200.00, down 34.50 (2.8%)."],
    ["10", "0", "revenue 10, up 10."],
    ["0", "10", "revenue 0, down 10 (100%)."],
    ["5", "-5", "revenue 5, up 10."],
    ["-50", "-100", "revenue -50, up 50 (50%)."],
    ["1000001", "1000000", "revenue 1,000,001, up 1."],
    ["7.50", "7.5", "revenue 7.50, as before."],
    ["7", null, "revenue 7."],
    [
      "123456789012345678901234567.89",
      "0.01",
      "revenue 123,456,789,012,345,678,901,234,567.89, up 123,456,789,012,345,678,901,234,567.88.",
    ],
    [
      "12345678901234567890123456789.12",
      "12345678901234567890123456788.12",
      "revenue ≈1.23457 × 10^28, up 1.00.",
    ],
    ["170141183460469231731687303715884105727", "0", "revenue ≈1.70141 × 10^38, up ≈1.70141 × 10^38."],
    ["-9999999999999999999999999999999", "0", "revenue ≈-1 × 10^31, down ≈1 × 10^31."],
    ["1e300", "5e299", "revenue 1 × 10^300, up 5 × 10^299 (100%)."],
    ["1e-300", "2e-300", "revenue 1 × 10^-300, down 1 × 10^-300 (50%)."],
    ["0.333333333333", "0.1", "revenue ≈0.333333, up ≈0.233333 (233.3%)."],
    ["1.50000000", "1.5", "revenue 1.5, as before."],
  ])("%s after %s: %s", (now, before, sentence) => {
    expect(digest(one(now), one(before))).toBe(`"Sales": still 1 row. ${sentence}`);
  });

  test("an integer beyond 2^53 keeps all its digits", () => {
    expect(digest(one("9007199254740993", orders), one(9007199254740991, orders))).toBe(
      '"Sales": still 1 row. orders 9,007,199,254,740,993, up 2.',
    );
  });

  test("a rate is a value where it is one, and never a total", () => {
    const rate: Field = { name: "conversion_rate", type: "number" };
    expect(digest(one(0.25, rate), one(0.2, rate))).toBe(
      '"Sales": still 1 row. conversion_rate 0.25, up 0.05 (25%).',
    );
    expect(digest(table([rate], [[0.25], [0.5]]))).toBe(
      '"Sales": 2 rows. Highest conversion_rate 0.5, lowest 0.25.',
    );
  });
});

test("doubles are added without the errors of doubles", () => {
  expect(digest(table([weight], Array(10).fill([0.1])))).toBe(
    '"Sales": 10 rows. Total weight 1.0. Highest and lowest weight 0.1.',
  );
  expect(digest(table([weight], [[1e21], [0.5], [-1e21]]))).toContain("Total weight 0.5.");
});

test("an extreme that several rows hold has no name but a count", () => {
  expect(
    digest(
      table(
        [product, orders],
        [
          ["A", 1],
          ["B", 1],
          ["C", 7],
        ],
      ),
    ),
  ).toBe('"Sales": 3 rows. Total orders 9. Highest orders 7 ("C"), lowest 1 (in 2 rows).');
});

test("identifiers, years and postcodes are neither added nor compared, they name rows", () => {
  const fields: Field[] = [
    { name: "order_id", type: "integer" },
    { name: "year", type: "integer" },
    { name: "zip", type: "integer" },
    orders,
  ];
  const rows = [
    [17, 2025, 11000, 4],
    [18, 2026, 12000, 9],
  ];
  expect(digest(table(fields, rows))).toBe(
    '"Sales": 2 rows. Total orders 13. Highest orders 9 (year 2026), lowest 4 (year 2025).',
  );
});

test("columns that came and went are said so, and not compared", () => {
  const before = table([product, { ...orders, type: "string" }], [["A", "12"]]);
  expect(digest(table([product, orders], [["A", 15]]), before)).toBe(
    '"Sales": still 1 row. The columns are not the same as before. orders 15.',
  );
});

describe("no rows", () => {
  const none = table([product, orders], []);

  test.each([
    [none, null, '"Sales": no rows.'],
    [none, none, '"Sales": no rows, nothing changed.'],
    [none, monday, '"Sales": no rows, 3 before.'],
  ])("are said so", (now, before, sentence) => {
    expect(digest(now, before)).toBe(sentence);
  });

  test("before are said so too", () => {
    expect(digest(table([product, orders], [["A", 1]]), none)).toBe(
      '"Sales": 1 row, none before. Total orders 1.',
    );
  });
});

describe("a result that was cut", () => {
  const first = table(
    [product, orders],
    Array.from({ length: 50_000 }, (_, i) => [`p${i}`, i]),
    true,
  );

  test("is said so, its figures are of its rows only, and nothing is compared", () => {
    expect(digest(first, monday)).toBe(
      '"Sales": first 50,000 rows, the rest was cut (not compared). Total orders in these rows 1,249,975,000. ' +
        'Highest orders in these rows 49,999 ("p49999"), lowest 0 ("p0").',
    );
  });

  test("is no measure for the next one", () => {
    expect(digest(monday, first)).toMatch(
      /^"Sales": 3 rows \(not compared: the previous result was cut\)\. Total orders 6\. /,
    );
  });
});

test("a column without numbers is said so", () => {
  expect(
    digest(
      table(
        [orders, weight],
        [
          [null, "NaN"],
          [null, 2],
        ],
      ),
    ),
  ).toBe('"Sales": 2 rows. orders is empty in every row. weight is no finite number in 1 row.');
});

test("text of users stays inside its quotes, on one line, and is not cut within a number", () => {
  const result = table(
    [product, orders],
    [
      ['a"b\n\u202ec\ud800', 1],
      [`${"x".repeat(27)}12345`, 2],
    ],
  );
  expect(digest(result, null, `${"t".repeat(55)} 123456789`)).toBe(
    `"${"t".repeat(55)}…": 2 rows. Total orders 3. Highest orders 2 ("${"x".repeat(27)}…"), lowest 1 ("a'b c").`,
  );
});

test("without a reference there is nothing to say", () => {
  expect(digestOf([])).toBe("There was no result to look at.");
});
