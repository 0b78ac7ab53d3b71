import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findCsvLine } from "./find-line.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "querybell-lines-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test.for([
  ["a,b\n1,2\n3,4\n", 2, 3],
  ["a,b\r\n1,2\r\n3,4", 2, 3],
  ["a,b\r1,2\r3,4\r", 2, 3],
  ["a,b\n\n1,2\n\n\n3,4\n", 2, 6],
  ['"a\nx",b\n1,"2\r\n2"\n3,4\n', 2, 5],
  ['a,b\n1,"2""\n"\n3,4\n', 2, 4],
  ['a,b\n5" pipe,2\n3,4\n', 2, 3],
  ['a,b\n1, "x\ny"\n3,4\n', 2, 4],
  ["a\n1\n\n2\n", 2, 3],
] as const)("in %j, row %d begins on line %d", async ([text, row, line]) => {
  const path = join(folder, "file.csv");
  writeFileSync(path, text);
  expect(await findCsvLine(path, { row, delimiter: ",", isOneColumn: !text.includes(",") })).toBe(line);
});
