import type { Field } from "@querybell/domain";
import { describe, expect, test } from "vitest";
import type { DigestTable } from "../digest/digest-table.ts";
import type { Declaration, Figure } from "./declaration.ts";
import { checkText } from "./testing/check-text.ts";

const fields: Field[] = [
  { name: "month", type: "date" },
  { name: "product", type: "string" },
  { name: "revenue", type: "decimal" },
  { name: "orders", type: "integer" },
  { name: "return_rate", type: "number" },
];
const r1: DigestTable = {
  fields,
  rows: [
    ["2026-09-01", "Kettle", "2269230.77", 100, 4.2],
    ["2026-10-01", "Kettle", "2360000.00", 90, 3.1],
    ["2026-10-01", "Pan 12", "-5.50", 3, null],
  ],
  cut: false,
};
const before: DigestTable = { ...r1, rows: r1.rows.slice(0, 1) };
const results = { r1, r1_before: before, big: { ...r1, cut: true } };

const figure = (column: string, operation: Figure["operation"], rows?: number[], result = "r1"): Figure => ({
  result,
  column,
  operation,
  ...(rows && { rows }),
});
const declare = (written: string, of: Figure, more: Partial<Declaration> = {}): Declaration => ({
  written,
  operation: "figure",
  of,
  ...more,
});
const problemsOf = (text: string, ...declarations: Declaration[]) =>
  checkText({ text, declarations }, results).problems;

describe("a sentence passes", () => {
  test.each<[string, Declaration[]]>([
    [
      "Revenue was 2.36 M in October, 4 % above September.",
      [
        declare("2.36 M", figure("revenue", "value", [2])),
        declare("October", figure("month", "value", [2])),
        declare("4 %", figure("revenue", "value", [2]), {
          operation: "percentage_change",
          against: figure("revenue", "value", [1]),
          direction: "up",
        }),
        declare("September", figure("month", "value", [1])),
      ],
    ],
    [
      'In Q4 2026 "Kettle" had 90 orders, 10 fewer than on 1 September 2026.',
      [
        declare("Q4 2026", figure("month", "value", [2])),
        declare("Kettle", figure("product", "value", [2])),
        declare("90", figure("orders", "value", [2])),
        declare("10", figure("orders", "value", [2]), {
          operation: "difference",
          against: figure("orders", "value", [1]),
          direction: "down",
        }),
        declare("1 September 2026", figure("month", "minimum")),
      ],
    ],
    ["€4,629,225.27 in all.", [declare("€4,629,225.27", figure("revenue", "sum"))]],
    ["-5.5 was the least.", [declare("-5.5", figure("revenue", "minimum"))]],
    ["4.2% came back.", [declare("4.2%", figure("return_rate", "maximum"))]],
    [
      "193 orders of 2 products in 3 rows.",
      [
        declare("193", figure("orders", "sum")),
        declare("2", figure("product", "distinct_count")),
        declare("3", { result: "r1", operation: "count" }),
      ],
    ],
    [
      "2 rows are new.",
      [
        declare(
          "2",
          { result: "r1", operation: "count" },
          {
            operation: "difference",
            against: { result: "r1_before", operation: "count" },
            direction: "up",
          },
        ),
      ],
    ],
    [
      "46.6 % of the orders are from October.",
      [
        declare("46.6 %", figure("orders", "value", [2]), {
          operation: "percentage",
          against: figure("orders", "sum"),
        }),
        declare("October", figure("month", "value", [3])),
      ],
    ],
    [
      '"Pan 12" is in "Revenue by month 2026".',
      [
        declare("Pan 12", {
          result: "r1",
          where: [{ column: "orders", operator: "less", value: 5 }],
          column: "product",
          operation: "value",
        }),
      ],
    ],
    ["Nothing stands out.", []],
  ])("%s", (text, declarations) => {
    expect(problemsOf(text, ...declarations)).toEqual([]);
  });
});

describe("a sentence fails", () => {
  const revenue = figure("revenue", "value", [2]);
  test.each<[string, string, Declaration[], RegExp]>([
    ["with a number that is not declared", "It was 2.36 M.", [], /not declared/],
    ["with a number in words", "It has doubled.", [], /in digits/],
    ["with a date that is not declared", "It was good in October.", [], /not declared/],
    ["with the name of a row that is not declared", "It was mostly Kettle.", [], /name of a row/],
    ["with something quoted that is in no result", 'It was "Spoon".', [], /quoted/],
    ["with a wrong rounding", "It was 2.37 M.", [declare("2.37 M", revenue)], /2360000/],
    ["with a digit too many", "It was 2,360,000.01.", [declare("2,360,000.01", revenue)], /2360000/],
    ["rounded to nothing", "It was 0 B.", [declare("0 B", revenue)], /2360000/],
    ["with another row", "It was 2.36 M.", [declare("2.36 M", figure("revenue", "value", [1]))], /2269230/],
    [
      "with several values",
      "It was 2.36 M.",
      [declare("2.36 M", figure("revenue", "value"))],
      /several values/,
    ],
    [
      "with a percent sign too many",
      "It was 90 %.",
      [declare("90 %", figure("orders", "value", [2]))],
      /percent/,
    ],
    [
      "with a percentage without its sign",
      "It was 4.",
      [
        declare("4", revenue, {
          operation: "percentage_change",
          against: figure("revenue", "value", [1]),
          direction: "up",
        }),
      ],
      /percent sign/,
    ],
    [
      "with the wrong direction",
      "It fell 4 %.",
      [
        declare("4 %", revenue, {
          operation: "percentage_change",
          against: figure("revenue", "value", [1]),
          direction: "down",
        }),
      ],
      /went up/,
    ],
    [
      "whose words contradict the direction",
      "It fell by 4 %.",
      [
        declare("4 %", revenue, {
          operation: "percentage_change",
          against: figure("revenue", "value", [1]),
          direction: "up",
        }),
      ],
      /opposite/,
    ],
    [
      "without its direction",
      "A difference of 10 orders.",
      [
        declare("10", figure("orders", "value", [1]), {
          operation: "difference",
          against: figure("orders", "value", [2]),
        }),
      ],
      /direction/,
    ],
    [
      "with a loss that is written as a gain",
      "It was 5.50.",
      [declare("5.50", figure("revenue", "value", [3]))],
      /-5.5/,
    ],
    [
      "with another month",
      "In November.",
      [declare("November", figure("month", "value", [2]))],
      /2026-10-01/,
    ],
    ["with another weekday", "On Monday.", [declare("Monday", figure("month", "value", [2]))], /2026-10-01/],
    [
      "with another name",
      "It was Tent.",
      [declare("Tent", figure("product", "value", [2]))],
      /is not in the sentence/,
    ],
    [
      "with what is declared and not written",
      "It was good.",
      [declare("90", figure("orders", "value", [2]))],
      /is not in the sentence/,
    ],
    [
      "with one declaration for two numbers",
      "90 and 90.",
      [declare("90", figure("orders", "value", [2]))],
      /not declared/,
    ],
    [
      "about a result that does not exist",
      "90 orders.",
      [declare("90", figure("orders", "value", [2], "r9"))],
      /no such result/,
    ],
    [
      "about a column that does not exist",
      "90 orders.",
      [declare("90", figure("order", "value", [2]))],
      /no column/,
    ],
    [
      "about a row that does not exist",
      "90 orders.",
      [declare("90", figure("orders", "value", [7]))],
      /no row 7/,
    ],
    [
      "about all rows of a result that was cut",
      "193 orders.",
      [declare("193", figure("orders", "sum", undefined, "big"))],
      /cut/,
    ],
    ["with an empty cell", "It was 0.", [declare("0", figure("return_rate", "value", [3]))], /empty/],
    [
      "with a unit that changes the number",
      "It was 90 k.",
      [declare("90 k", figure("orders", "value", [2]))],
      /90/,
    ],
    [
      "with a unit that is not declared along",
      "It was 90 k.",
      [declare("90", figure("orders", "value", [2]))],
      /is not in the sentence/,
    ],
    ["with digits of another script", "It was ٩٠.", [], /not declared/],
    [
      "with a number that can be read in two ways",
      "On 01.10.2026.",
      [declare("01.10.2026", figure("month", "value", [2]))],
      /2026-10-01/,
    ],
  ])("%s", (_name, text, declarations, reason) => {
    expect(problemsOf(text, ...declarations).join("\n")).toMatch(reason);
  });

  test.each([
    "See https://evil.example/x for more.",
    "See evil.example for more.",
    "![chart](https://evil.example/x.png)",
    "See [the report](/q/1).",
    "<img src=x>",
    "All is well\u200b.",
    "All is well\u202e.",
    "All is well\u{e0041}.",
    "Mail a@evil.com.",
  ])("with a link, an image, markup or hidden characters: %s", (text) => {
    expect(problemsOf(text)).toHaveLength(1);
  });
});

test("each part leads to the rows that it came from", () => {
  const sentence = {
    text: "Kettle: 4,629,230.77 in all.",
    declarations: [
      declare("Kettle", figure("product", "value", [1])),
      declare("4,629,230.77", {
        ...figure("revenue", "sum"),
        where: [{ column: "product", operator: "equals" as const, value: "Kettle" }],
      }),
    ],
  };
  expect(checkText(sentence, results)).toEqual({
    text: sentence.text,
    problems: [],
    parts: [
      { start: 0, end: 6, sources: [{ result: "r1", column: "product", rows: [1] }] },
      { start: 8, end: 20, sources: [{ result: "r1", column: "revenue", rows: [1, 2] }] },
    ],
  });
});
