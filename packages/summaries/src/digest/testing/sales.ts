import type { Field } from "@querybell/domain";
import type { ResultTable } from "../../stored-results/result-table.ts";
import { digestOf } from "./digest-of.ts";

export const product: Field = { name: "product", type: "string" };
export const orders: Field = { name: "orders", type: "integer" };
export const revenue: Field = { name: "revenue", type: "decimal" };
export const weight: Field = { name: "weight", type: "number" };

export const today = "2026-11-16";

export const table = (fields: Field[], rows: ResultTable["rows"], cut = false): ResultTable => ({
  fields,
  rows,
  cut,
});
export const digest = (result: ResultTable, previous: ResultTable | null = null, title = "Sales") =>
  digestOf([{ title, result, previous, today }]);

export const monday = table(
  [product, orders, revenue],
  [
    ["Kettle", 3, "300.00"],
    ["Pan", 2, "40.50"],
    ["Knife", 1, "9.99"],
  ],
);
export const tuesday = table(
  [product, orders, revenue],
  [
    ["Kettle", 5, "420.00"],
    ["Pan", 1, "10.50"],
    ["Tent", 2, "1199.98"],
    ["Spade", null, null],
  ],
);
