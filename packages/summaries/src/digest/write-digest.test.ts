import type { Field } from "@querybell/domain";
import { describe, expect, test } from "vitest";
import type { ResultTable } from "../stored-results/result-table.ts";
import { digestOf } from "./testing/digest-of.ts";
import { digest, monday, orders, product, revenue, table, today, tuesday, weight } from "./testing/sales.ts";

const month: Field = { name: "month", type: "date" };
const rows = (...all: ResultTable["rows"]) => all;

describe("periods", () => {
  test.each<[string, Field, string | number, ResultTable["rows"], string]>([
    [
      "months, of which the last is not over",
      month,
      "Revenue by month",
      rows(["2026-09-01", "2269230.77"], ["2026-10-01", "2360000.00"], ["2026-11-01", "900"]),
      "Revenue in October 2026 was 2.36 M, 4% more than in September 2026. Revenue in November 2026 so far was 900.",
    ],
    [
      "months in another order, with the year before",
      month,
      "Revenue by month",
      rows(["2026-10-01", "110"], ["2026-09-01", "100"], ["2025-10-01", "88"]),
      "Revenue in October 2026 was 110, 10% more than in September 2026 and 25% more than in October 2025.",
    ],
    [
      "months as texts",
      { name: "period", type: "string" },
      "Revenue",
      rows(["2025-11", "50"], ["2025-12", "40"]),
      "Revenue in December 2025 was 40, 20% less than in November 2025; there are no rows since December 2025.",
    ],
    [
      "quarters",
      { name: "starts", type: "date" },
      "Revenue",
      rows(["2026-01-01", "30"], ["2026-04-01", "20"], ["2026-07-01", "10"], ["2026-10-01", "1"]),
      "Revenue in Q3 2026 was 10, 50% less than in Q2 2026. Revenue in Q4 2026 so far was 1.",
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
      "Revenue in the week of 9 November 2026 was 21, 5% more than in the week of 2 November 2026. Revenue in the week of 16 November 2026 so far was 1.",
    ],
    [
      "days, with the same day of the week before",
      { name: "day", type: "date" },
      "Revenue",
      rows(["2026-11-08", "10"], ["2026-11-14", "20"], ["2026-11-15", "15"]),
      "Revenue on 15 November 2026 was 15, 25% less than on 14 November 2026 and 50% more than on 8 November 2026.",
    ],
    [
      "years as numbers",
      { name: "year", type: "integer" },
      "Revenue",
      rows([2023, "9"], [2024, "10"], [2025, "12"], [2026, "11"]),
      "Revenue in 2025 was 12, 20% more than in 2024. Revenue in 2026 so far was 11.",
    ],
    [
      "only one that is not over",
      month,
      "Revenue",
      rows(["2026-11-01", "900"]),
      "Revenue in November 2026 so far was 900.",
    ],
    [
      "with a gain after a loss",
      month,
      "Revenue",
      rows(["2026-09-01", "-40.50"], ["2026-10-01", "10"]),
      "Revenue in October 2026 was 10, 50.5 more than in September 2026 (-40.5).",
    ],
    [
      "with larger losses",
      month,
      "Revenue",
      rows(["2026-09-01", "-40.50"], ["2026-10-01", "-45.25"]),
      "Revenue in October 2026 was -45.25, 4.75 less than in September 2026 (-40.5).",
    ],
    [
      "that are equal",
      month,
      "Revenue",
      rows(["2026-09-01", "5"], ["2026-10-01", "5.00"]),
      "Revenue in October 2026 was 5, the same as in September 2026.",
    ],
    [
      "that are nearly equal",
      month,
      "Revenue",
      rows(["2026-09-01", "1000000"], ["2026-10-01", "1000001"]),
      "Revenue in October 2026 was 1 M, slightly more than in September 2026.",
    ],
    [
      "without a value",
      month,
      "Revenue",
      rows(["2026-09-01", "5"], ["2026-10-01", null]),
      "Revenue is empty in 1 of 1 row in October 2026.",
    ],
    [
      "the highest of several",
      month,
      "Revenue",
      rows(["2026-07-01", "5"], ["2026-08-01", "6"], ["2026-09-01", "0"], ["2026-10-01", "7"]),
      "Revenue in October 2026 was 7, 7 more than in September 2026 (0). October 2026 is number 1 of 4 months by revenue (highest first), with 7.",
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
      'Total revenue in October 2026 was 2.08 M (2 rows), 4% more than in September 2026. Revenue in October 2026, compared with the value in September 2026: "web" 1.29 M (+7.5%) and "app" 790,000 (-1.3%).',
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
      '"Conversion": conversion rate in October 2026 was 0.033, 0.001 less than in September 2026 (0.034). ' +
        "Values in October 2026, compared with the value in September 2026: churn pct 3.9% (-0.5 points).",
    );
  });

  test("a value that is no longer what it was in the last run is said", () => {
    const given = (august: string) =>
      table([month, revenue], rows(["2026-08-01", august], ["2026-09-01", "5"], ["2026-10-01", "6"]));
    expect(digest(given("7"), given("8"), "Revenue")).toBe(
      "Revenue in October 2026 was 6, 20% more than in September 2026. Revenue in August 2026 fell by 13% from 8 in the last run to 7 in this run.",
    );
  });

  test("the date of a thing is not a period", () => {
    const fields: Field[] = [product, { name: "released_on", type: "date" }, orders];
    const given = rows(["Kettle", "2026-09-01", 3], ["Pan", "2026-10-01", 1]);
    expect(digest(table(fields, given))).toBe(
      '"Sales": total orders are 4 (2 rows). "Kettle" has the highest orders, 3.',
    );
    const numbered: Field[] = [{ name: "id", type: "integer" }, { name: "ordered_on", type: "date" }, orders];
    expect(digest(table(numbered, rows([1, "2026-09-01", 3], [2, "2026-10-01", 1])))).toMatch(
      /^"Sales": total orders are 4 \(2 rows\)\. /,
    );
  });
});

test("says of a day of sales what matters", () => {
  expect(digest(tuesday, monday, "Sales by product")).toBe(
    '"Sales by product": total orders are 8 (3 rows), 33% more than in the last run. New since the last run: "Tent" and "Spade"; gone since the last run: "Knife". The only changes in orders in rows of both runs: "Kettle" +2 to 5 and "Pan" -1 to 1.',
  );
});

test("the first run compares nothing", () => {
  expect(digest(monday)).toBe(
    '"Sales": the 3 highest values of orders are "Kettle" 3, "Pan" 2 and "Knife" 1. Total orders are 6 (3 rows).',
  );
});

test("the same rows in another order have not changed", () => {
  expect(digest(monday, { ...monday, rows: monday.rows.toReversed() })).toMatch(
    /Total orders are 6 \(3 rows\)\. Nothing has changed since the last run\.$/,
  );
});

test("a list of the best leads with them, and its total is not that of everything", () => {
  const best = table(
    [product, revenue],
    Array.from({ length: 10 }, (_, i) => [`p${i}`, String(1000 - i)]),
  );
  expect(digest(best)).toBe(
    '"Sales": the 3 highest values of revenue are "p0" 1,000, "p1" 999 and "p2" 998.',
  );
  const grown = { ...best, rows: best.rows.with(0, ["p0", "2000"]) };
  expect(digest(grown, best)).toBe(
    '"Sales": the 3 highest values of revenue are "p0" 2,000, "p1" 999 and "p2" 998. ' +
      "Total revenue is 10,955 (10 rows), 10% more than in the last run. " +
      'The only change in revenue since the last run: "p0" +1,000 to 2,000.',
  );
});

describe("a single row", () => {
  const one = (value: string | number | null, field = revenue) => table([field], [[value]]);

  test.each([
    ["1234.50", "1200.00", "revenue is 1,235, 2.9% more than in the last run."],
    ["1200.00", "1234.50", "revenue is 1,200, 2.8% less than in the last run."],
    ["10", "0", "revenue is 10, 10 more than in the last run (0)."],
    ["0", "10", "revenue is 0, 100% less than in the last run."],
    ["5", "-5", "revenue is 5, 10 more than in the last run (-5)."],
    ["-50", "-100", "revenue is -50, 50 more than in the last run (-100)."],
    ["7.50", "7.5", "revenue is 7.5, the same as in the last run."],
    ["7", null, "revenue is 7."],
    ["9.90", "9.95", "revenue is 9.9, 0.5% less than in the last run."],
    ["999999999", "1", "revenue is 1 bn, 1 bn more than in the last run (1)."],
    [
      "12345678901234567890123456789.12",
      "0",
      "revenue is 1.23 × 10^28, 1.23 × 10^28 more than in the last run (0).",
    ],
    ["1e-300", "2e-300", "revenue is 1 × 10^-300, 50% less than in the last run."],
    ["0.333333333333", "0.1", "revenue is 0.333, 233% more than in the last run."],
  ])("%s after %s: %s", (now, before, sentence) => {
    expect(digest(one(now), one(before))).toBe(`"Sales": ${sentence}`);
  });

  test("with a column for before compares the two", () => {
    const fields: Field[] = [
      { name: "average", type: "decimal" },
      { name: "before", type: "decimal" },
    ];
    expect(digest(table(fields, [["52.31", "51.20"]]))).toBe(
      '"Sales": average is 52.31, 2.2% more than "before".',
    );
  });

  test("with several numbers tells the first, and then the others", () => {
    const now = table([product, orders, revenue], [["Kettle", 3, "301.00"]]);
    const before = table([product, orders, revenue], [["Kettle", 3, "300.00"]]);
    expect(digest(now, before)).toBe(
      '"Sales": orders are 3, the same as in the last run. Values, compared with the value in the last run: revenue 301 (+0.3%).',
    );
  });
});

test("levels have no total: the highest and the lowest are told", () => {
  const temperature: Field = { name: "temperature", type: "number" };
  const cities = (rome: number) =>
    table([product, temperature], rows(["Oslo", -3.5], ["Rome", rome], ["Quito", 14]));
  expect(digest(cities(17.25))).toBe(
    '"Sales": "Rome" has the highest temperature, 17.25; "Oslo" has the lowest temperature, -3.5.',
  );
  expect(digest(cities(17.25), cities(16))).toBe(
    '"Sales": the only change in temperature since the last run: "Rome" +1.25 to 17.25. ' +
      '"Rome" has the highest temperature, 17.25; "Oslo" has the lowest temperature, -3.5.',
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
    '"Sales": total orders are 21 (3 rows). Order id 18 has the highest orders, 9.',
  );
});

test("texts are counted, by their groups if there are few", () => {
  const fields: Field[] = [product, { name: "status", type: "string" }];
  const tickets = Array.from({ length: 14 }, (_, i) => [`T-${i}`, i % 3 ? "open" : "waiting"]);
  expect(digest(table(fields, tickets), null, "Open tickets")).toBe(
    '"Open tickets": there are 14 rows. Rows by status: 9 "open" and 5 "waiting".',
  );
  expect(digest(table(fields, tickets), table(fields, tickets.slice(0, -4)), "Open tickets")).toBe(
    '"Open tickets": there are 14 rows, 4 more than in the last run. ' +
      '4 rows are new since the last run, such as "T-10" (product). Rows by status: 9 "open" and 5 "waiting".',
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
    [none, monday, '"Sales": there are no rows, 3 less than in the last run.'],
  ])("are said so", (now, before, sentence) => {
    expect(digest(now, before)).toBe(sentence);
  });

  test("before are said so too", () => {
    expect(digest(table([product], [["A"]]), none)).toBe(
      '"Sales": there is 1 row, 1 more than in the last run. The columns are not the same as in the last run.',
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
    expect(digest(first, monday)).toBe('"Sales": only the first 50,000 rows could be read.');
  });

  test("is no measure for the next one", () => {
    expect(digest(monday, first)).toBe(digest(monday));
  });
});

test("a column without numbers is said so", () => {
  const given = rows([null, "NaN"], [null, 2]);
  expect(digest(table([orders, weight], given))).toBe(
    '"Sales": there are 2 rows. Orders are empty in 2 of 2 rows.',
  );
});

test("doubles are added without the errors of doubles", () => {
  expect(digest(table([weight], [[1e21], [0.5], [-1e21]]))).toContain(
    '"Sales": total weight is 0.5 (3 rows).',
  );
});

test("text of users stays inside its quotes, on one line, and is not cut within a number", () => {
  const result = table([product, orders], rows(["Tent", 1], [`${"x".repeat(37)}12"345`, 2]));
  expect(digest(result, null, `${"t".repeat(55)} 123456789`)).toBe(
    `"${"t".repeat(55)}…": total orders are 3 (2 rows). "${"x".repeat(37)}12\\"345" has the highest orders, 2.`,
  );
});

test.each(["evil。com", "evil․com", "//evil/x", "see evil.example now", "<b>bold</b>", "@channel"])(
  "a row that is called %j is not named",
  (name) => {
    const text = digest(table([product, orders], rows([name, 9], ["Pan", 1])), null, name);
    expect(text).toMatch(/A result: total orders are 10 \(2 rows\)\.$/);
  },
);

test("a new row whose name is not published is counted", () => {
  const before = table([product, orders], rows(["Pan", 1]));
  const now = table([product, orders], rows(["Pan", 1], ["evil.com", 1]));
  expect(digest(now, before)).toContain("1 row is new since the last run.");
});

describe("what the chart shows", () => {
  const fields: Field[] = [product, orders, revenue];
  const given = rows(["Kettle", 3, "300"], ["Pan", 2, "40"], ["Knife", 1, "900"]);
  const withChart = (shownColumns: string[]) =>
    digestOf([{ title: "Sales", result: table(fields, given), previous: null, today, shownColumns }]);

  test("is what the digest speaks of", () => {
    expect(withChart([])).toMatch(/^"Sales": the 3 highest values of orders are /);
    expect(withChart(["revenue"])).toBe(
      '"Sales": total revenue is 1,240 (3 rows). "Knife" has the highest revenue, 900. Total orders are 6 (3 rows).',
    );
  });

  test("comes first of a single row, too", () => {
    const result = table([orders, revenue], rows([3, "5"]));
    expect(digestOf([{ title: "Sales", result, previous: null, today, shownColumns: ["revenue"] }])).toBe(
      '"Sales": revenue is 5. Values: orders 3.',
    );
  });

  test("is told by rows if its total means nothing", () => {
    const channel: Field = { name: "channel", type: "string" };
    const rate: Field = { name: "return_rate", type: "number" };
    const result = table(
      [month, channel, orders, rate],
      rows(
        ["2026-09-01", "web", 9, 0.05],
        ["2026-09-01", "shop", 5, 0.02],
        ["2026-10-01", "web", 8, 0.07],
        ["2026-10-01", "shop", 6, 0.02],
      ),
    );
    const text = digestOf([
      { title: "Returns", result, previous: null, today, shownColumns: ["return_rate"] },
    ]);
    expect(text).toMatch(
      /^"Returns": return rate in October 2026, compared with the value in September 2026: "web" 0.07 \(\+0.02\) and "shop" 0.02 \(±0\)\. /,
    );
  });

  test("comes first of the periods, too", () => {
    const months = table([month, orders, revenue], rows(["2026-09-01", 1, "5"], ["2026-10-01", 2, "6"]));
    const text = digestOf([
      { title: "Sales", result: months, previous: null, today, shownColumns: ["revenue", "orders"] },
    ]);
    expect(text).toBe(
      '"Sales": revenue in October 2026 was 6, 20% more than in September 2026. ' +
        "Values in October 2026, compared with the value in September 2026: orders 2 (+100%).",
    );
  });
});

describe("dates", () => {
  const day: Field = { name: "day", type: "date" };
  const days = (...given: string[]) =>
    table(
      [day, revenue],
      given.map((one) => [one, "5"]),
    );

  test("that are old are said so", () => {
    expect(digest(days("2026-11-10", "2026-11-11", "2026-11-12"), null, "Revenue")).toBe(
      "Revenue on 12 November 2026 was 5, the same as on 11 November 2026; there are no rows since 12 November 2026.",
    );
    expect(digest(days("2026-11-14", "2026-11-15"), null, "Revenue")).not.toContain("no rows since");
  });

  test("that are missing are named", () => {
    const given = ["09", "10", "11", "12", "14", "15"].map((one) => `2026-11-${one}`);
    expect(digest(days(...given), null, "Revenue")).toContain("There are no rows for 13 November 2026.");
  });

  test("of which most are missing are no sequence", () => {
    expect(digest(days("2026-11-02", "2026-11-10", "2026-11-15"), null, "Revenue")).not.toContain(
      "no rows for",
    );
  });
});

test("without a reference there is nothing to say", () => {
  expect(digestOf([])).toBe("There was no result to look at.");
});
