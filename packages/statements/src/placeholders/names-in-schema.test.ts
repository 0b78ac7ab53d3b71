import { expect, test } from "vitest";
import { sampleDialect } from "../testing/sample-dialect.ts";
import { namesInSchema } from "./names-in-schema.ts";
import { parseStatement } from "./statement.ts";

test.for([
  ['SELECT * FROM charts.sales JOIN Charts . "By Month" USING (a)', ["sales", "by month"]],
  ["SELECT charts.a, charts.a FROM t AS charts", ["a"]],
  ["SELECT 'charts.no' -- charts.no\n /* charts.no */ FROM x.charts.no", []],
  ["SELECT charts FROM charts", []],
] as const)("%s", ([sql, names]) => {
  expect(namesInSchema(parseStatement(sql, sampleDialect), "charts")).toEqual(names);
});
