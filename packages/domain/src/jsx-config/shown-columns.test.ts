import { expect, test } from "vitest";
import { shownColumnsOf } from "./shown-columns.ts";

test.each([
  ['<BarChart><XAxis dataKey="month" /><Bar dataKey="revenue" /></BarChart>', ["revenue"]],
  [
    '<ComposedChart><Line dataKey="b" /><Bar dataKey="a" /><Line dataKey="c" hide /></ComposedChart>',
    ["b", "a"],
  ],
  ['<ScatterChart><XAxis dataKey="price" /><YAxis dataKey="sold" /><Scatter /></ScatterChart>', ["sold"]],
  ['<PieChart><Pie dataKey="orders" nameKey="country" /></PieChart>', ["orders"]],
  ['<Number dataKey="total" />', ["total"]],
  ["<Table />", []],
  ["", []],
])("%s shows %j", (jsxConfig, columns) => {
  expect(shownColumnsOf({ jsxConfig })).toEqual(columns);
});
