import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countCsvRows, findCsvLine, readCsvHeader } from "./csv-file.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "querybell-rows-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function write(text: string): string {
  const path = join(folder, "file.csv");
  writeFileSync(path, text);
  return path;
}

describe("the rows of a CSV file", () => {
  test.for([
    ["a,b\n1,2\n3,4\n", 3],
    ["a,b\r\n1,2\r\n3,4", 3],
    ["a,b\r1,2\r3,4\r", 3],
    ["a,b\n\n1,2\n\n\n3,4\n", 6],
    ['"a\nx",b\n1,"2\r\n2"\n3,4\n', 5],
    ['a,b\n1,"2""\n"\n3,4\n', 4],
    ['a,b\n5" pipe,2\n3,4\n', 3],
    ['a,b\n1, "x\ny"\n3,4\n', 4],
    ['\ufeff"a\n",b\n1,2\n3,4\n', 4],
    ["a\n1\n\n", 3],
    ['a,b\n1,2,,\n3,"4" \n', 3],
  ] as const)("of %j: the second begins on line %d", async ([text, line]) => {
    const path = write(text);
    const header = readCsvHeader(text);
    expect(await countCsvRows(path, header)).toMatchObject({ rowCount: 2 });
    expect(await findCsvLine(path, header, 2)).toBe(line);
  });

  test.for([
    ["a,b\n1\n", /^Line 2 has 1 value, but the first line names 2 columns/],
    ["a,b\n1,2,\0\n", /^Line 2 has 3 values/],
    ['a,b\n1,2,""', /^Line 2 has 3 values/],
    ['a,b\n"x\n\n"y,2\n', /^Line 4 has text behind a closing quote/],
    ['a,b\n"x" "y",2\n', /^Line 2 has text behind a closing quote/],
    ['"a"x,b\n1,2\n', /^Line 1 has text behind a closing quote/],
    ['a,b\n1,2\n3,"4\n', /^Line 3 has a quote that is not closed/],
    ["a,b\n1,2\n3,4\r\n5,6\n", /^Line 3 ends in another way than the first line/],
    ["a,b\r\n1,2\r\n3,4\n5,6\r\n", /^Line 3 ends in another way/],
    ["a,b\r\n1,2\r3,4\r\n", /^Line 2 ends in another way/],
    ["a,b\r1,2\n", /^Line 2 ends in another way/],
  ] as const)("of %j are refused", async ([text, message]) => {
    await expect(countCsvRows(write(text), readCsvHeader(text))).rejects.toThrow(message);
  });
});

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
    expect(readCsvHeader(text)).toMatchObject({ delimiter, names, lineEnd });
  });

  test.for([
    ["", /empty/],
    [" \n\n", /empty/],
    ['"id,name\n1,2\n', /Line 1 has a quote that is not closed/],
    ['b,"a\n"\r\n', /The name of column 2 has a line break/],
  ] as const)("%j is refused", ([text, message]) => {
    expect(() => readCsvHeader(text)).toThrow(message);
  });
});
