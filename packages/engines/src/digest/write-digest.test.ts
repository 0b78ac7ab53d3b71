import type { Field } from "@querybell/domain";
import { describe, expect, test } from "vitest";
import type { DigestTable } from "./digest-table.ts";
import { digestOf } from "./testing/digest-of.ts";
import { digest, monday, orders, product, revenue, table, tuesday, weight } from "./testing/sales.ts";

const month: Field = { name: "month", type: "date" };
const rows = (...all: DigestTable["rows"]) => all;

describe("periods", () => {
  test.each<[string, Field, string | number, DigestTable["rows"], string]>([
    [
      "months, of which the last is not over",
      month,
      "Revenue by month",
      rows(["2026-09-01", "2269230.77"], ["2026-10-01", "2360000.00"], ["2026-11-01", "900"]),
      "Revenue was 2.36 M in October, 4% above September. November so far: 900.",
    ],
    [
      "months in another order, with the year before",
      month,
      "Revenue by month",
      rows(["2026-10-01", "110"], ["2026-09-01", "100"], ["2025-10-01", "88"]),
      "Revenue was 110 in October, 10% above September and 25% above October 2025.",
    ],
    [
      "months as texts",
      { name: "period", type: "string" },
      "Revenue",
      rows(["2025-11", "50"], ["2025-12", "40"]),
      "Revenue was 40 in December 2025, 20% below November.",
    ],
    [
      "quarters",
      { name: "starts", type: "date" },
      "Revenue",
      rows(["2026-01-01", "30"], ["2026-04-01", "20"], ["2026-07-01", "10"], ["2026-10-01", "1"]),
      "Revenue was 10 in Q3, 50% below Q2. Q4 so far: 1.",
    ],
    [
      "weeks",
      { name: "starts", type: "timestamp" },
      "Revenue",
      rows(
        ["2026-10-26T00:00:00Z", "30"],
        ["2026-11-02T00:00:00Z", "20"],
        ["2026-11-09T00:00:00Z", "21"],
        ["2026-11-16T00:00:00Z", "1"],
      ),
      "Revenue was 21 in the week of 9 November, 5% above the week of 2 November. The week of 16 November so far: 1.",
    ],
    [
      "days, with the same day of the week before",
      { name: "day", type: "date" },
      "Revenue",
      rows(["2026-11-08", "10"], ["2026-11-14", "20"], ["2026-11-15", "15"]),
      "Revenue was 15 on 15 November, 25% below 14 November and 50% above 8 November.",
    ],
    [
      "years as numbers",
      { name: "year", type: "integer" },
      "Revenue",
      rows([2023, "9"], [2024, "10"], [2025, "12"], [2026, "11"]),
      "Revenue was 12 in 2025, 20% above 2024. 2026 so far: 11.",
    ],
    [
      "only one that is not over",
      month,
      "Revenue",
      rows(["2026-11-01", "900"]),
      "November so far: revenue 900.",
    ],
    [
      "with a gain after a loss",
      month,
      "Revenue",
      rows(["2026-09-01", "-40.50"], ["2026-10-01", "10"]),
      "Revenue was 10 in October, up from -40.50 in September.",
    ],
    [
      "with larger losses",
      month,
      "Revenue",
      rows(["2026-09-01", "-40.50"], ["2026-10-01", "-45.25"]),
      "Revenue was -45.25 in October, down from -40.50 in September.",
    ],
    [
      "that are equal",
      month,
      "Revenue",
      rows(["2026-09-01", "5"], ["2026-10-01", "5.00"]),
      "Revenue was 5 in October, the same as in September.",
    ],
    [
      "that are nearly equal",
      month,
      "Revenue",
      rows(["2026-09-01", "1000000"], ["2026-10-01", "1000001"]),
      "Revenue was 1 M in October, slightly above September.",
    ],
    [
      "without a value",
      month,
      "Revenue",
      rows(["2026-09-01", "5"], ["2026-10-01", null]),
      "Revenue has no value in October; in September it was 5.",
    ],
    [
      "the highest of several",
      month,
      "Revenue",
      rows(["2026-07-01", "5"], ["2026-08-01", "6"], ["2026-09-01", "0"], ["2026-10-01", "7"]),
      "Revenue was 7 in October, up from 0 in September. October had the highest revenue of 4 months.",
    ],
  ])("%s", (_name, field, title, given, expected) => {
    expect(digest(table([field, revenue], given), null, String(title))).toBe(expected);
  });

  test("several rows of a period are its parts, and add up", () => {
    const channel: Field = { name: "channel", type: "string" };
    const given = rows(
      ["2026-09-01", "web", "1200000"],
      ["2026-09-01", "app", "800000"],
      ["2026-10-01", "app", "790000"],
      ["2026-10-01", "web", "1290000"],
    );
    expect(digest(table([month, channel, revenue], given), null, "Revenue")).toBe(
      'Revenue was 2.08 M in October, 4% above September. "web" was 1.29 M (up 7.5%) and "app" 790,000 (down 1.3%).',
    );
  });

  test("rates and percentages are not compared in percent", () => {
    const fields: Field[] = [
      month,
      { name: "conversion_rate", type: "number" },
      { name: "churn_pct", type: "number" },
    ];
    const given = rows(["2026-09-01", 0.034, 4.4], ["2026-10-01", 0.033, 3.9]);
    expect(digest(table(fields, given), null, "Conversion")).toBe(
      '"Conversion": conversion rate was 0.033 in October, down from 0.034 in September. ' +
        "Churn pct was 3.9% (was 4.4%).",
    );
  });

  test("a value that is no longer what it was in the last run is said", () => {
    const given = (august: string) =>
      table([month, revenue], rows(["2026-08-01", august], ["2026-09-01", "5"], ["2026-10-01", "6"]));
    expect(digest(given("7"), given("8"), "Revenue")).toBe(
      "Revenue was 6 in October, 20% above September. Since the last run, revenue in August has changed from 8 to 7.",
    );
  });

  test("the date of a thing is not a period", () => {
    const fields: Field[] = [product, { name: "released_on", type: "date" }, orders];
    const given = rows(["Kettle", "2026-09-01", 3], ["Pan", "2026-10-01", 1]);
    expect(digest(table(fields, given))).toBe(
      '"Sales": total orders are 4. "Kettle" has the most orders, 3.',
    );
    const numbered: Field[] = [{ name: "id", type: "integer" }, { name: "ordered_on", type: "date" }, orders];
    expect(digest(table(numbered, rows([1, "2026-09-01", 3], [2, "2026-10-01", 1])))).toMatch(
      /^"Sales": total orders are 4\. /,
    );
  });
});

test("says of a day of sales what matters", () => {
  expect(digest(tuesday, monday, "Sales by product")).toBe(
    '"Sales by product": total orders are 8, 33% above the last run. New: "Tent" and "Spade"; gone: "Knife". ' +
      'Biggest changes in orders: "Kettle" up 2 to 5 and "Pan" down 1 to 1.',
  );
});

test("the first run compares nothing", () => {
  expect(digest(monday)).toBe(
    '"Sales": "Kettle" has the most orders, 3 (50%), ahead of "Pan" (2) and "Knife" (1). Total orders are 6.',
  );
});

test("the same rows in another order have not changed", () => {
  expect(digest(monday, { ...monday, rows: monday.rows.toReversed() })).toMatch(
    /Total orders are 6\. Nothing has changed since the last run\.$/,
  );
});

test("a list of the best leads with them, and its total is not that of everything", () => {
  const best = table(
    [product, revenue],
    Array.from({ length: 10 }, (_, i) => [`p${i}`, String(1000 - i)]),
  );
  expect(digest(best)).toBe(
    '"Sales": "p0" has the highest revenue, 1,000, ahead of "p1" (999) and "p2" (998).',
  );
  const grown = { ...best, rows: best.rows.with(0, ["p0", "2000"]) };
  expect(digest(grown, best)).toBe(
    '"Sales": "p0" has the highest revenue, 2,000, ahead of "p1" (999) and "p2" (998). ' +
      "Revenue adds up to 10,955 in these 10 rows, 10% above the last run. " +
      'The only change in revenue: "p0" up 1,000 to 2,000.',
  );
});

describe("a single row", () => {
  const one = (value: string | number | null, field = revenue) => table([field], [[value]]);

  test.each([
    ["1234.50", "1200.00", "revenue is 1,235, 2.9% above the last run."],
    ["1200.00", "1234.50", "revenue is 1,200, 2.8% below the last run."],
    ["10", "0", "revenue is 10, up from 0 in the last run."],
    ["0", "10", "revenue is 0, 100% below the last run."],
    ["5", "-5", "revenue is 5, up from -5 in the last run."],
    ["-50", "-100", "revenue is -50, up from -100 in the last run."],
    ["7.50", "7.5", "revenue is 7.50, the same as in the last run."],
    ["7", null, "revenue is 7."],
    ["9.90", "9.95", "revenue is 9.90, 0.5% below the last run."],
    ["999999999", "1", "revenue is 1 bn, up from 1 in the last run."],
    ["12345678901234567890123456789.12", "0", "revenue is 1.23 × 10^28, up from 0 in the last run."],
    ["1e-300", "2e-300", "revenue is 1 × 10^-300, 50% below the last run."],
    ["0.333333333333", "0.1", "revenue is 0.333, 233% above the last run."],
  ])("%s after %s: %s", (now, before, sentence) => {
    expect(digest(one(now), one(before))).toBe(`"Sales": ${sentence}`);
  });

  test("with a column for before compares the two", () => {
    const fields: Field[] = [
      { name: "average", type: "decimal" },
      { name: "before", type: "decimal" },
    ];
    expect(digest(table(fields, [["52.31", "51.20"]]))).toBe(
      '"Sales": average is 52.31, up 2.2% from 51.20 (before).',
    );
  });

  test("with several numbers tells the first, and then the others", () => {
    const now = table([product, orders, revenue], [["Kettle", 3, "301.00"]]);
    const before = table([product, orders, revenue], [["Kettle", 3, "300.00"]]);
    expect(digest(now, before)).toBe(
      '"Sales": orders are 3, the same as in the last run. Revenue is 301 (up 0.3%).',
    );
  });
});

test("levels have no total: the highest and the lowest are told", () => {
  const temperature: Field = { name: "temperature", type: "number" };
  const cities = (rome: number) =>
    table([product, temperature], rows(["Oslo", -3.5], ["Rome", rome], ["Quito", 14]));
  expect(digest(cities(17.25))).toBe(
    '"Sales": "Rome" has the highest temperature, 17.25, and "Oslo" the lowest, -3.5.',
  );
  expect(digest(cities(17.25), cities(16))).toBe(
    '"Sales": the only change in temperature: "Rome" up 1.25 to 17.25. ' +
      '"Rome" has the highest temperature, 17.25, and "Oslo" the lowest, -3.5.',
  );
});

test("identifiers, years and postcodes are neither added nor compared, they name rows", () => {
  const fields: Field[] = [
    { name: "order_id", type: "integer" },
    { name: "year", type: "integer" },
    { name: "zip", type: "integer" },
    orders,
  ];
  const given = rows([17, 2025, 11000, 4], [18, 2026, 12000, 9], [19, 2026, 12000, 8]);
  expect(digest(table(fields, given))).toBe(
    '"Sales": total orders are 21. Order id 18 has the most orders, 9.',
  );
});

test("texts are counted, by their groups if there are few", () => {
  const fields: Field[] = [product, { name: "status", type: "string" }];
  const tickets = Array.from({ length: 14 }, (_, i) => [`T-${i}`, i % 3 ? "open" : "waiting"]);
  expect(digest(table(fields, tickets), null, "Open tickets")).toBe(
    '"Open tickets": there are 14 rows. By status: 9 "open" and 5 "waiting".',
  );
  expect(digest(table(fields, tickets), table(fields, tickets.slice(0, -4)), "Open tickets")).toBe(
    '"Open tickets": there are 14 rows, 4 more than in the last run. 4 new rows, such as "T-10". ' +
      'By status: 9 "open" and 5 "waiting".',
  );
});

test("columns that came and went are said so, and not compared", () => {
  const before = table([product, { ...orders, type: "string" }], [["A", "12"]]);
  expect(digest(table([product, orders], [["A", 15]]), before)).toBe(
    '"Sales": orders are 15. The columns are not the same as in the last run.',
  );
});

describe("no rows", () => {
  const none = table([product, orders], []);

  test.each([
    [none, null, '"Sales": there are no rows.'],
    [none, none, '"Sales": there are no rows. Nothing has changed since the last run.'],
    [none, monday, '"Sales": there are no rows any more; in the last run there were 3 rows.'],
  ])("are said so", (now, before, sentence) => {
    expect(digest(now, before)).toBe(sentence);
  });

  test("before are said so too", () => {
    expect(digest(table([product], [["A"]]), none)).toBe(
      '"Sales": there is 1 row; in the last run there were none. The columns are not the same as in the last run.',
    );
  });
});

describe("a result that was cut", () => {
  const first = table(
    [product, orders],
    Array.from({ length: 50_000 }, (_, i) => [`p${i}`, i]),
    true,
  );

  test("is said so, and nothing is added up or compared", () => {
    expect(digest(first, monday)).toBe(
      '"Sales": only the first 50,000 rows could be read, so nothing is added up or compared.',
    );
  });

  test("is no measure for the next one", () => {
    expect(digest(monday, first)).toBe(digest(monday));
  });
});

test("a column without numbers is said so", () => {
  const given = rows([null, "NaN"], [null, 2]);
  expect(digest(table([orders, weight], given))).toBe(
    '"Sales": there are 2 rows. Orders are empty in every row. Some values of weight are no finite numbers.',
  );
});

test("doubles are added without the errors of doubles", () => {
  expect(digest(table([weight], [[1e21], [0.5], [-1e21]]))).toContain("total weight is 0.5.");
});

test("text of users stays inside its quotes, on one line, and is not cut within a number", () => {
  const result = table([product, orders], rows(['a"b\n\u202ec\ud800', 1], [`${"x".repeat(37)}12345`, 2]));
  expect(digest(result, null, `${"t".repeat(55)} 123456789`)).toBe(
    `"${"t".repeat(55)}…": total orders are 3. "${"x".repeat(37)}…" has the most orders, 2.`,
  );
});

test("without a reference there is nothing to say", () => {
  expect(digestOf([])).toBe("There was no result to look at.");
});
