import type { Field } from "@querybell/domain";
import { describe, expect, test } from "vitest";
import type { DigestTable } from "./digest-table.ts";
import { digest, orders, product, table } from "./testing/sales.ts";

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
  expect(digest(now, before)).toBe(
    '"Sales": total orders are 7, 40% above the last run. ' +
      'Id 1: product changed from "Kettle" to "Kettle, large". The only change in orders: "Kettle, large" up 2 to 5.',
  );
});

test("rows without identifying columns are not paired", () => {
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
    '"Sales": total orders are 3, 25% below the last run. "A" has the most orders, 2.',
  );
});

describe("a change of words", () => {
  const id: Field = { name: "id", type: "integer" };
  const service: Field = { name: "svc", type: "string" };
  const status: Field = { name: "status", type: "string" };
  const place: Field = { name: "place", type: "string" };
  const states = (rows: DigestTable["rows"], fields = [service, status]) => table(fields, rows);

  test("is described by the row, the column and both values", () => {
    const before = states([
      ["db", "up"],
      ["api", "up"],
    ]);
    const now = states([
      ["db", "down"],
      ["api", "up"],
    ]);
    expect(digest(now, before)).toBe('"Sales": "db": status changed from "up" to "down".');
  });

  test("is described beside added and removed rows", () => {
    const before = states([
      ["db", "up"],
      ["api", null],
    ]);
    const now = states([
      ["cache", "up"],
      ["api", "up"],
    ]);
    expect(digest(now, before)).toBe(
      '"Sales": "api": status changed from nothing to "up". New: "cache"; gone: "db".',
    );
  });

  test("in more rows than three leaves the others to a count", () => {
    const all = (word: string) => states(Array.from("abcde", (letter) => [letter, word]));
    expect(digest(all("down"), all("up"))).toBe(
      '"Sales": "a": status changed from "up" to "down"; "b": status changed from "up" to "down"; ' +
        '"c": status changed from "up" to "down"; 2 more rows changed.',
    );
  });

  test("names a row by its identifier where its words have changed, or else by a word that has not", () => {
    const numbered = (word: string) => states([[7, word]], [id, status]);
    expect(digest(numbered("down"), numbered("up"))).toBe(
      '"Sales": id 7: status changed from "up" to "down".',
    );
    const called = (word: string) => states([[7, "db", word]], [id, service, status]);
    expect(digest(called("down"), called("up"))).toBe('"Sales": "db": status changed from "up" to "down".');
  });

  test("in several columns of a row is one clause", () => {
    const fields = [service, status, place];
    expect(digest(states([["db", "down", "Oslo"]], fields), states([["db", "up", "Rome"]], fields))).toBe(
      '"Sales": "db": status changed from "up" to "down", place from "Rome" to "Oslo".',
    );
  });

  test("beyond the shown part of a text, or in a nested value, is described without values", () => {
    const long = "x".repeat(50);
    expect(digest(states([["db", `${long} b`]]), states([["db", `${long} a`]]))).toBe(
      '"Sales": "db": status changed.',
    );
    const nested = (value: number) =>
      states([["db", { value }]], [service, { name: "details", type: "json" }]);
    expect(digest(nested(2), nested(1))).toBe('"Sales": "db": details changed.');
  });

  test("pairs rows by the fewest columns that identify them", () => {
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
    expect(digest(now, before)).toBe('"Sales": "api": status changed from "up" to "down".');
  });

  test("between rows without identifying columns is mentioned", () => {
    const repeated = (words: string) => table([product], [["A"], ["A"], [words]]);
    expect(digest(repeated("B"), repeated("C"))).toBe(
      '"Sales": some rows are not the same as in the last run.',
    );
  });
});
