import type { FieldType } from "@querybell/domain";
import { expect, test } from "vitest";
import { roleOf } from "./column-roles.ts";

test.each([
  [
    "amount",
    "revenue orders total_weight count number number_of_orders revenue_last_year sales_this_month shares delivery_days",
  ],
  [
    "level",
    "avg_price unitPrice conversion_rate pct p95 orders_per_day Share discount_% running_total max_speed",
  ],
  ["identifier", "id order_id customerId ZIP zip_code order_number invoice_no"],
  ["label", "year order_year month year_of_birth hour_of_day Quarter"],
])("numbers called so are of the role %s: %s", (role, names) => {
  for (const name of names.split(" ")) {
    for (const type of ["integer", "decimal", "number"] satisfies FieldType[]) {
      expect([name, roleOf({ name, type })]).toEqual([name, role]);
    }
  }
});

test("words and dates name rows, nested values do not", () => {
  expect(roleOf({ name: "revenue", type: "string" })).toBe("label");
  expect(roleOf({ name: "sold_on", type: "date" })).toBe("label");
  expect(roleOf({ name: "sku", type: "string" })).toBe("identifier");
  expect(roleOf({ name: "details", type: "json" })).toBe("other");
});
