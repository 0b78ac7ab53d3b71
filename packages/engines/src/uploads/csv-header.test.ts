import { describe, expect, test } from "vitest";
import { readCsvHeader } from "./csv-header.ts";

describe("the header of a CSV file", () => {
  test.for([
    ["id,name\n1,a", ",", ["id", "name"]],
    ["id;name;price, in euros\n", ";", ["id", "name", "price, in euros"]],
    ["id\tname\r\n1\ta", "\t", ["id", "name"]],
    ["id|name", "|", ["id", "name"]],
    ["name\nx", ",", ["name"]],
    ['"a ""b""","c\nd",e\n', ",", ['a "b"', "c\nd", "e"]],
    ["\ufeffid, name \n", ",", ["id", "name"]],
    ["a,,b\n", ",", ["a", "", "b"]],
  ] as const)("%j", ([text, delimiter, names]) => {
    expect(readCsvHeader(text)).toEqual({ delimiter, names });
  });

  test.for([
    ["", /empty/],
    [" \n\n", /empty/],
    ['"id,name\n1,2\n', /Line 1 has a quote that is not closed/],
  ] as const)("%j is refused", ([text, message]) => {
    expect(() => readCsvHeader(text)).toThrow(message);
  });
});
