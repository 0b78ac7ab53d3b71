import type { Field } from "@querybell/domain";
import { describe, expect, test } from "vitest";
import type { ResultTable } from "../stored-results/result-table.ts";
import { digestOf } from "./testing/digest-of.ts";
import { monday, orders, product, revenue, table, today, tuesday } from "./testing/sales.ts";

describe("several references", () => {
  const values = Array.from({ length: 31 }, (_, i) => [`row ${i}`, 50]);
  const plain = table([product, orders], values);
  const changed = table([product, orders], [...values.slice(0, -1), ["row 30", 999_999]]);
  const references = (count: number, rest: { result: ResultTable; previous: ResultTable | null }) =>
    Array.from({ length: count }, (_, i) => ({ title: `Reference number ${i}`, ...rest, today }));

  test("get one fact each before any gets a second", () => {
    const looked = references(5, { result: tuesday, previous: monday });
    const text = digestOf(looked);
    for (let i = 0; i < 5; i++) {
      expect(text).toContain(
        `"Reference number ${i}": total orders are 8 (3 rows), 33% more than in the last run.`,
      );
    }
    expect(text).toMatch(
      /^"Reference number 0": [^.]+\. New since the last run: "Tent" and "Spade"; gone since the last run: "Knife"\. /,
    );
    expect(text).not.toMatch(/"Reference number 4": [^.]+\. New /);
  });

  test("of which one changed lead with that one, and tell little of the others", () => {
    const looked = references(6, { result: plain, previous: plain });
    looked[4] = { title: "Reference number 4", result: changed, previous: plain, today };
    expect(digestOf(looked)).toBe(
      '"Reference number 4": total orders are 1 M (31 rows), 999,949 more than in the last run (1,550). The only change in orders since the last run: "row 30" +999,949 to 999,999. "row 30" has the highest orders, 999,999. Unchanged since the last run: "Reference number 0": total orders are 1,550 (31 rows). "Reference number 1": total orders are 1,550 (31 rows). Nothing has changed in "Reference number 2", "Reference number 3" and "Reference number 5".',
    );
    const many = [...looked, ...references(30, { result: plain, previous: plain })];
    expect(digestOf(many)).toMatch(/ Nothing has changed in 33 other results\.$/);
  });

  test("that changed come before those that cannot be compared", () => {
    const looked = [
      { title: "Same", result: plain, previous: plain, today },
      { title: "New", result: plain, previous: null, today },
      { title: "Changed", result: changed, previous: plain, today },
    ];
    expect(digestOf(looked)).toMatch(/^"Changed": .* "New": .* Unchanged since the last run: "Same": /);
  });

  test("of which none has changed say so once", () => {
    const text = digestOf(references(2, { result: monday, previous: monday }));
    expect(text).toMatch(/^"Reference number 0": the 3 highest .* "Reference number 1": the 3 highest /);
    expect(text.match(/Nothing has changed since the last run\./g)).toHaveLength(1);
  });

  test("are counted where they do not fit", () => {
    const text = digestOf(references(20, { result: tuesday, previous: null }));
    const shown = text.match(/"Reference number \d+": total orders are 8 \(3 rows\)\./g)?.length ?? 0;
    expect(shown).toBeGreaterThan(9);
    expect(text.endsWith(` And ${20 - shown} more results.`)).toBe(true);
  });
});

describe("the title", () => {
  const month: Field = { name: "month", type: "date" };
  const months = table(
    [month, revenue],
    [
      ["2026-09-01", "5"],
      ["2026-10-01", "6"],
    ],
  );
  const looked = (title: string) => ({ title, result: months, previous: null, today });

  test("is left out where the first sentence says as much", () => {
    expect(digestOf([looked("Revenue by month")])).toBe(
      "Revenue in October 2026 was 6, 20% more than in September 2026.",
    );
    expect(digestOf([looked("Income")])).toBe(
      '"Income": revenue in October 2026 was 6, 20% more than in September 2026.',
    );
  });

  test("stays where two results are about the same", () => {
    expect(digestOf([looked("Revenue of web"), looked("Revenue of app")])).toBe(
      '"Revenue of web": revenue in October 2026 was 6, 20% more than in September 2026. "Revenue of app": revenue in October 2026 was 6, 20% more than in September 2026.',
    );
  });
});
