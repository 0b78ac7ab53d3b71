import fc from "fast-check";
import { expect, test } from "vitest";
import { arrayEncoding, textEncoding } from "../postgres/encode.ts";
import { isoDateOfDays, isoDuration, isoTimestamp, momentOf } from "./iso-time.ts";
import { parseExactJson } from "./json-value.ts";

test("any JSON that doubles can hold is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseExactJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  ["9007199254740993", "9007199254740993"],
  ["-0.12345678901234567890123", "-0.12345678901234567890123"],
  ["1e400", "1e400"],
  ["1.50", 1.5],
  ["100000000000000000000", 100000000000000000000],
  ["1E2", 100],
  [
    '{"9007199254740993": ["12345678901234567890", 12345678901234567890]}',
    { "9007199254740993": ["12345678901234567890", "12345678901234567890"] },
  ],
])("the JSON %s loses nothing", (text, value) => {
  expect(parseExactJson(text)).toEqual(value);
});

test("days and microseconds since 1970 read as Date writes them, wherever Date reaches", () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (date) => {
      const text = date.toISOString().replace(/\.?0*Z$/, "");
      expect(isoTimestamp(momentOf(BigInt(date.getTime()) * 1000n, 6)).replace(/0*$/, "")).toBe(
        text.replace(/0*$/, ""),
      );
      expect(isoDateOfDays(Math.floor(date.getTime() / 86_400_000))).toBe(date.toISOString().split("T")[0]);
    }),
  );
});

test.each([
  [{ months: 0, days: 0, micros: 0n }, "PT0S"],
  [{ months: 14, days: 3, micros: 14_706_700_000n }, "P1Y2M3DT4H5M6.7S"],
  [{ months: -1, days: 0, micros: -500_000n }, "P-1MT-0.5S"],
  [{ months: 0, days: 0, micros: -3_661_000_001n }, "PT-1H-1M-1.000001S"],
])("the interval %o is %s", (interval, text) => {
  expect(isoDuration(interval)).toBe(text);
});

test("any list of strings survives the form that Postgres gives arrays", () => {
  const quote = (item: string | null) => (item === null ? "NULL" : `"${item.replace(/["\\]/g, "\\$&")}"`);
  fc.assert(
    fc.property(fc.array(fc.array(fc.option(fc.string()), { minLength: 1 }), { minLength: 1 }), (lists) => {
      const text = `{${lists.map((list) => `{${list.map(quote).join(",")}}`).join(",")}}`;
      expect(arrayEncoding(textEncoding).encode(text)).toEqual(lists);
    }),
  );
});
