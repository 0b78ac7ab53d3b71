import type { Field } from "@querybell/domain";
import { describe, expect, test } from "vitest";
import type { DigestTable } from "./digest-table.ts";
import { writeDigest } from "./write-digest.ts";

const product: Field = { name: "product", type: "string" };
const orders: Field = { name: "orders", type: "integer" };
const revenue: Field = { name: "revenue", type: "decimal" };
const weight: Field = { name: "weight", type: "number" };

const table = (fields: Field[], rows: DigestTable["rows"], cut = false): DigestTable => ({
  fields,
  rows,
  cut,
});
const digest = (result: DigestTable, previous: DigestTable | null = null, title = "Sales") =>
  writeDigest([{ title, result, previous }]);

const monday = table(
  [product, orders, revenue],
  [
    ["Kettle", 3, "300.00"],
    ["Pan", 2, "40.50"],
    ["Knife", 1, "9.99"],
  ],
);
const tuesday = table(
  [product, orders, revenue],
  [
    ["Kettle", 5, "420.00"],
    ["Pan", 1, "10.50"],
    ["Tent", 2, "1199.98"],
    ["Spade", null, null],
  ],
);

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

test("rows are paired by their identifier even if what they are called has changed", () => {
  const fields: Field[] = [{ name: "id", type: "integer" }, product, orders];
  const now = table(fields, [
    [1, "Kettle, large", 5],
    [2, "Pan", 2],
  ]);
  const before = table(fields, [
    [1, "Kettle", 3],
    [2, "Pan", 2],
  ]);
  expect(digest(now, before)).toContain(
    'Biggest move of orders: "Kettle, large" up 2 to 5. id 1: product changed from "Kettle" to "Kettle, large".',
  );
});

test("rows that nothing tells apart are not paired", () => {
  const now = table(
    [product, orders],
    [
      ["A", 1],
      ["A", 2],
    ],
  );
  const before = table(
    [product, orders],
    [
      ["A", 1],
      ["A", 3],
    ],
  );
  expect(digest(now, before)).toBe(
    '"Sales": still 2 rows. Total orders 3, down 1 (25%). Highest orders 2 ("A"), lowest 1 ("A").',
  );
});

describe("a change of words", () => {
  const id: Field = { name: "id", type: "integer" };
  const service: Field = { name: "svc", type: "string" };
  const status: Field = { name: "status", type: "string" };
  const place: Field = { name: "place", type: "string" };
  const states = (rows: DigestTable["rows"], fields = [service, status]) => table(fields, rows);

  test("is told with the row, the column and both values", () => {
    const before = states([
      ["db", "up"],
      ["api", "up"],
    ]);
    const now = states([
      ["db", "down"],
      ["api", "up"],
    ]);
    expect(digest(now, before)).toBe('"Sales": still 2 rows. "db": status changed from "up" to "down".');
  });

  test("is told beside rows that came and went", () => {
    const before = states([
      ["db", "up"],
      ["api", null],
    ]);
    const now = states([
      ["cache", "up"],
      ["api", "up"],
    ]);
    expect(digest(now, before)).toBe(
      '"Sales": still 2 rows. 1 new row: "cache"; 1 row gone: "db". "api": status changed from nothing to "up".',
    );
  });

  test("in more rows than three leaves the others to a count", () => {
    const all = (word: string) => states(Array.from("abcde", (letter) => [letter, word]));
    expect(digest(all("down"), all("up"))).toBe(
      '"Sales": still 5 rows. "a": status changed from "up" to "down"; "b": status changed from "up" to "down"; ' +
        '"c": status changed from "up" to "down"; 2 more rows changed.',
    );
  });

  test("names a row by its identifier where its words have changed, or else by a word that has not", () => {
    const numbered = (word: string) => states([[7, word]], [id, status]);
    expect(digest(numbered("down"), numbered("up"))).toBe(
      '"Sales": still 1 row. id 7: status changed from "up" to "down".',
    );
    const called = (word: string) => states([[7, "db", word]], [id, service, status]);
    expect(digest(called("down"), called("up"))).toBe(
      '"Sales": still 1 row. "db": status changed from "up" to "down".',
    );
  });

  test("in several columns of a row is one clause", () => {
    const fields = [service, status, place];
    expect(digest(states([["db", "down", "Oslo"]], fields), states([["db", "up", "Rome"]], fields))).toBe(
      '"Sales": still 1 row. "db": status changed from "up" to "down", place from "Rome" to "Oslo".',
    );
  });

  test("that is out of sight, or nested, is told without its values", () => {
    const long = "x".repeat(50);
    expect(digest(states([["db", `${long} b`]]), states([["db", `${long} a`]]))).toBe(
      '"Sales": still 1 row. "db": status changed.',
    );
    const nested = (value: number) =>
      states([["db", { value }]], [service, { name: "details", type: "json" }]);
    expect(digest(nested(2), nested(1))).toBe('"Sales": still 1 row. "db": details changed.');
  });

  test("pairs rows by as few of their names as tell them apart", () => {
    const fields = [place, service, status];
    const before = states(
      [
        ["Oslo", "db", "up"],
        ["Oslo", "api", "up"],
      ],
      fields,
    );
    const now = states(
      [
        ["Oslo", "db", "up"],
        ["Oslo", "api", "down"],
      ],
      fields,
    );
    expect(digest(now, before)).toBe('"Sales": still 2 rows. "api": status changed from "up" to "down".');
  });

  test("between rows that nothing tells apart is said so", () => {
    const repeated = (words: string) => table([product], [["A"], ["A"], [words]]);
    expect(digest(repeated("B"), repeated("C"))).toBe(
      '"Sales": still 3 rows. Some rows are not the same as before.',
    );
  });
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

describe("several references", () => {
  const amounts = "abcdefghij"
    .split("")
    .map((letter): Field => ({ name: `amount_${letter}`, type: "integer" }));
  const wide = table(
    [product, ...amounts],
    [
      ["Kettle", ...Array(10).fill(1_000_000)],
      ["Pan", ...Array(10).fill(2_000_000)],
    ],
  );
  const values = Array.from({ length: 30 }, (_, i) => [`row ${i}`, 50]);
  const thirty = table([product, orders], values);
  const changed = table([product, orders], [...values.slice(0, -1), ["row 29", 999_999]]);
  const references = (count: number, rest: { result: DigestTable; previous: DigestTable | null }) =>
    Array.from({ length: count }, (_, i) => ({ title: `Reference number ${i}`, ...rest }));

  test("take turns until there is no room", () => {
    const looked = (title: string) => ({ title, result: wide, previous: null });
    const said = (title: string, letters: string) =>
      `"${title}": 2 rows. Total amount_a 3,000,000. Highest amount_a 2,000,000 ("Pan"), lowest 1,000,000 ("Kettle"). ` +
      Array.from(letters, (letter) => `Total amount_${letter} 3,000,000.`).join(" ");
    expect(writeDigest(["First", "Second", "Third"].map(looked))).toBe(
      [said("First", "bcde"), said("Second", "bcd"), said("Third", "bcd")].join(" "),
    );
  });

  test("of which one changed leave the room to that one", () => {
    const looked = references(12, { result: thirty, previous: thirty });
    looked[10] = { title: "Reference number 10", result: changed, previous: thirty };
    expect(writeDigest(looked)).toBe(
      '"Reference number 10": still 30 rows. Total orders 1,001,449, up 999,949 (66,663.3%). ' +
        'Biggest move of orders: "row 29" up 999,949 to 999,999. 1 row changed. ' +
        'Highest orders 999,999 ("row 29"), lowest 50 (in 29 rows). ' +
        `Nothing changed in ${[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `"Reference number ${i}"`).join(", ")} and "Reference number 11".`,
    );
    const many = [...looked, ...references(8, { result: thirty, previous: thirty })];
    expect(writeDigest(many)).toMatch(/lowest 50 \(in 29 rows\)\. Nothing changed in 19 other results\.$/);
  });

  test("that changed come before those that cannot be compared", () => {
    const looked = [
      { title: "Same", result: thirty, previous: thirty },
      { title: "New", result: thirty, previous: null },
      { title: "Changed", result: changed, previous: thirty },
    ];
    const text = writeDigest(looked);
    expect(text).toMatch(/^"Changed": still 30 rows\. .* "New": 30 rows\. .* Nothing changed in "Same"\.$/);
  });

  test("say where nothing changed what there is, if none has changed", () => {
    const text = writeDigest(references(2, { result: monday, previous: monday }));
    expect(text).toMatch(/^"Reference number 0": 3 rows, nothing changed\. Total orders 6\./);
    expect(text).toMatch(/ "Reference number 1": 3 rows, nothing changed\. Total orders 6\./);
  });

  test.each([
    ["And %d more results.", null],
    ["%d more results changed.", monday],
    ["Nothing changed in %d other results.", tuesday],
  ])("each say something or are counted: %s", (closing, previous) => {
    const text = writeDigest(references(20, { result: tuesday, previous }));
    const shown = text.match(/"Reference number \d+": [^.]+\. Total orders 8\b/g)?.length ?? 0;
    expect(shown).toBeGreaterThan(4);
    expect(text).not.toContain("more column");
    expect(text.endsWith(` ${closing.replace("%d", String(20 - shown))}`)).toBe(true);
  });

  test("lead with the column that changed", () => {
    const fields = [product, orders, revenue];
    const before = table(fields, [["Kettle", 3, "300.00"]]);
    const now = table(fields, [["Kettle", 3, "301.00"]]);
    expect(digest(now, before)).toBe(
      '"Sales": still 1 row. revenue 301.00, up 1.00 (0.3%). 1 row changed. orders 3, as before.',
    );
  });
});

test("one reference counts the columns that have no room", () => {
  const names = Array.from({ length: 12 }, (_, i) => `amount_${"x".repeat(i)}`);
  const wide = table(
    names.map((name) => ({ name, type: "integer" })),
    [Array(12).fill(1), Array(12).fill(2)],
  );
  expect(digest(wide)).toMatch(/ And \d+ more columns\.$/);
});

test("somebody's text stays inside its quotes, on the line, and is not cut within a number", () => {
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
  expect(writeDigest([])).toBe("There was no result to look at.");
});
