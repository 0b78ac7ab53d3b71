import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseSearch, stringifySearch } from "./search-string.ts";

describe("the query string of a page", () => {
  test("keeps values as they are written", () => {
    expect(parseSearch("?version=1.10&id=12345678901234567890&list=[1]&on=true&name=Ada+L")).toEqual({
      version: "1.10",
      id: "12345678901234567890",
      list: "[1]",
      on: "true",
      name: "Ada L",
    });
    expect(stringifySearch({ version: "1.10", attempt: 2, none: undefined })).toBe("?version=1.10&attempt=2");
    expect(stringifySearch({})).toBe("");
  });

  test("reads the quoted texts of older links", () => {
    expect(parseSearch("?year=%222026%22&name=%22Ada")).toEqual({ year: "2026", name: '"Ada' });
  });

  test("reads every text as it was written", () => {
    const texts = fc.dictionary(
      fc.string({ unit: "grapheme", minLength: 1 }),
      fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.json(),
        fc.string().map((text) => JSON.stringify(text)),
      ),
    );
    fc.assert(
      fc.property(texts, (search) => {
        expect(parseSearch(stringifySearch(search))).toEqual({ ...search });
      }),
    );
  });
});
