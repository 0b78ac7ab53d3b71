import { expect, test } from "vitest";
import { plainSettings } from "./chart-settings.ts";
import { suggestTitle } from "./suggest-title.ts";

const series = (...columns: string[]) => columns.map((column) => ({ column, label: null, color: null }));

test("a chart is named after its columns", () => {
  const line = { ...plainSettings, type: "line" as const, category: "month" };
  expect(suggestTitle({ ...line, series: series("revenue") })).toBe("Revenue by month");
  expect(suggestTitle({ ...line, series: series("revenue"), splitBy: "sales_team" })).toBe(
    "Revenue by month and sales team",
  );
  expect(suggestTitle({ ...line, series: series("unit_price", "sold") })).toBe(
    "Unit price and sold by month",
  );
  expect(suggestTitle({ ...line, series: series("web", "app", "store") })).toBe("Web by month");
  const number = { ...plainSettings, type: "number" as const, category: null };
  expect(suggestTitle({ ...number, series: series("average order") })).toBe("Average order");
  expect(suggestTitle({ ...plainSettings, type: "table", series: [] })).toBeUndefined();
});
