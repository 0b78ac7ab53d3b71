import { expect, test } from "vitest";
import { SendUpload, suggestTableName } from "./uploads.ts";

test.for([
  ["Fruit sales (2024).csv", "fruit_sales_2024"],
  ["sales.csv.gz", "sales"],
  ["sales.GZ", "sales"],
  ["2024.xlsx", "t_2024"],
  ["Order.csv", "t_order"],
  ["…", "uploaded"],
] as const)("the file %s becomes the table %s", ([fileName, table]) => {
  expect(suggestTableName(fileName)).toBe(table);
});

test.for([
  ["3", 3],
  ["0", 0],
  ["", undefined],
  ["1e2", undefined],
  ["-1", undefined],
  ["1001", undefined],
] as const)("the parameter header=%s of an upload is %s", ([header, read]) => {
  expect(SendUpload.safeParse({ name: "a.csv", header }).data?.header).toBe(read);
});
