import { expect, test } from "vitest";
import { suggestName } from "./suggest-name.ts";

test.each([
  ["-- Revenue by month\nSELECT 1 FROM a", "Revenue by month"],
  ["SELECT month, sum(total) FROM public.order_lines GROUP BY month", "Order lines by month"],
  ['select * from "Orders" o group by o.country, o.city order by 1', "Orders by country and city"],
  ["SELECT a FROM t GROUP BY ALL", "T"],
  ["SELECT a FROM t GROUP BY 1", "T"],
  ["SELECT 1 + 1", "SELECT 1 + 1"],
  ["WITH x AS (SELECT 1) SELECT * FROM (SELECT 2)", "WITH x AS (SELECT 1) SELECT * FROM (SELECT 2)"],
  ["", "Untitled query"],
])("%j is called %j", (sql, name) => {
  expect(suggestName(sql)).toBe(name);
});

test("a name is at most 80 characters long", () => {
  expect(suggestName(`-- ${"long ".repeat(40)}`).length).toBeLessThanOrEqual(80);
});
