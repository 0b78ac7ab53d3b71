import { describe, expect, test } from "vitest";
import { readCsvHeader } from "./csv-header.ts";

describe("the header of a CSV file", () => {
  test.for([
    ["id,name\n1,a", ",", ["id", "name"], "\n"],
    ["id;name;price, in euros\n", ";", ["id", "name", "price, in euros"], "\n"],
    ["id\tname\r\n1\ta", "\t", ["id", "name"], "\r\n"],
    ["id|name", "|", ["id", "name"], "\n"],
    ["name\rx", ",", ["name"], "\r"],
    ['"a ""b""","c\nd",e\n', ",", ['a "b"', "c\nd", "e"], "\n"],
    ['a, "b,c" \n', ",", ["a", "b,c"], "\n"],
    ["\ufeffid, name \n", ",", ["id", "name"], "\n"],
    ["a,,b\n", ",", ["a", "", "b"], "\n"],
  ] as const)("%j", ([text, delimiter, names, lineEnd]) => {
    expect(readCsvHeader(text)).toEqual({ delimiter, names, lineEnd });
  });

  test.for([
    ["", /empty/],
    [" \n\n", /empty/],
    ['"id,name\n1,2\n', /Line 1 has a quote that is not closed/],
    ["gr\ufffd\ufffde,b\n", /Line 1 is not UTF-8/],
    ['b,"a\n"\r\n', /The name of column 2 has a line break/],
  ] as const)("%j is refused", ([text, message]) => {
    expect(() => readCsvHeader(text)).toThrow(message);
  });
});
