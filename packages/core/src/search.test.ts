import { expect, test } from "vitest";
import { prefixQuery } from "./search.ts";

test("every word is a prefix, and all are required", () => {
  expect(prefixQuery("  revenue  by mon")).toBe("'revenue':* & 'by':* & 'mon':*");
});

test("punctuation separates words, operators included", () => {
  expect(prefixQuery(`orders.total | 'a' & !("b" <-> c):*\\`)).toBe(
    "'orders':* & 'total':* & 'a':* & 'b':* & 'c':*",
  );
});

test("other scripts are words", () => {
  expect(prefixQuery("Umsätze доход 売上")).toBe("'Umsätze':* & 'доход':* & '売上':*");
});

test.for(["", "   ", "!&|()", "\0"])("%j has no words", (text) => {
  expect(prefixQuery(text)).toBeUndefined();
});

test("what is too long is cut, never in the middle of a character", () => {
  expect(prefixQuery("a ".repeat(1000))?.split(" & ")).toHaveLength(10);
  expect(prefixQuery(`${"x".repeat(199)}😀`)?.isWellFormed()).toBe(true);
});
