import type { Field } from "@querybell/domain";
import { describe, expect, test } from "vitest";
import type { DigestTable } from "./digest-table.ts";
import { digestOf } from "./testing/digest-of.ts";
import { digest, monday, orders, product, revenue, table, tuesday } from "./testing/sales.ts";

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
    expect(digestOf(["First", "Second", "Third"].map(looked))).toBe(
      [said("First", "bcde"), said("Second", "bcd"), said("Third", "bcd")].join(" "),
    );
  });

  test("of which one changed leave the room to that one", () => {
    const looked = references(12, { result: thirty, previous: thirty });
    looked[10] = { title: "Reference number 10", result: changed, previous: thirty };
    expect(digestOf(looked)).toBe(
      '"Reference number 10": still 30 rows. Total orders 1,001,449, up 999,949 (66,663.3%). ' +
        'Biggest move of orders: "row 29" up 999,949 to 999,999. 1 row changed. ' +
        'Highest orders 999,999 ("row 29"), lowest 50 (in 29 rows). ' +
        `Nothing changed in ${[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((i) => `"Reference number ${i}"`).join(", ")} and "Reference number 11".`,
    );
    const many = [...looked, ...references(8, { result: thirty, previous: thirty })];
    expect(digestOf(many)).toMatch(/lowest 50 \(in 29 rows\)\. Nothing changed in 19 other results\.$/);
  });

  test("that changed come before those that cannot be compared", () => {
    const looked = [
      { title: "Same", result: thirty, previous: thirty },
      { title: "New", result: thirty, previous: null },
      { title: "Changed", result: changed, previous: thirty },
    ];
    const text = digestOf(looked);
    expect(text).toMatch(/^"Changed": still 30 rows\. .* "New": 30 rows\. .* Nothing changed in "Same"\.$/);
  });

  test("say where nothing changed what there is, if none has changed", () => {
    const text = digestOf(references(2, { result: monday, previous: monday }));
    expect(text).toMatch(/^"Reference number 0": 3 rows, nothing changed\. Total orders 6\./);
    expect(text).toMatch(/ "Reference number 1": 3 rows, nothing changed\. Total orders 6\./);
  });

  test.each([
    ["And %d more results.", null],
    ["%d more results changed.", monday],
    ["Nothing changed in %d other results.", tuesday],
  ])("each say something or are counted: %s", (closing, previous) => {
    const text = digestOf(references(20, { result: tuesday, previous }));
    const shown = text.match(/"Reference number \d+": [^.]+\. Total orders 8\b/g)?.length ?? 0;
    expect(shown).toBeGreaterThan(4);
    expect(text).not.toContain("more column");
    expect(text.endsWith(` ${closing.replace("%d", String(20 - shown))}`)).toBe(true);
  });
});

test("one reference leads with the column that changed", () => {
  const fields = [product, orders, revenue];
  const before = table(fields, [["Kettle", 3, "300.00"]]);
  const now = table(fields, [["Kettle", 3, "301.00"]]);
  expect(digest(now, before)).toBe(
    '"Sales": still 1 row. revenue 301.00, up 1.00 (0.3%). 1 row changed. orders 3, as before.',
  );
});

test("one reference leads with the biggest moves where a total says nothing", () => {
  const rates = (value: number) =>
    table(
      [product, { name: "rate", type: "number" }],
      [
        ["Kettle", value],
        ["Pan", 0.5],
      ],
    );
  expect(digest(rates(0.25), rates(0.75))).toBe(
    '"Sales": still 2 rows. Biggest move of rate: "Kettle" down 0.50 to 0.25. 1 row changed. ' +
      'Highest rate 0.5 ("Pan"), lowest 0.25 ("Kettle").',
  );
});

test("one reference counts the columns that have no room", () => {
  const names = Array.from({ length: 12 }, (_, i) => `amount_${"x".repeat(i)}`);
  const wide = table(
    names.map((name) => ({ name, type: "integer" })),
    [Array(12).fill(1), Array(12).fill(2)],
  );
  expect(digest(wide)).toMatch(/ And \d+ more columns\.$/);
});
