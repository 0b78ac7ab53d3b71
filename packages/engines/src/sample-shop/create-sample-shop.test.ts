import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance, type Json } from "@duckdb/node-api";
import { beforeAll, expect, test } from "vitest";
import { dataFolder } from "../testing/real-databases.ts";
import { createSampleShop } from "./create-sample-shop.ts";

const lastDay = "2025-03-31";

async function readShop(file: string, sql: string): Promise<Json[][]> {
  const instance = await DuckDBInstance.create(join(dataFolder, file), { access_mode: "READ_ONLY" });
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(sql);
  connection.closeSync();
  instance.closeSync();
  return reader.getRowsJson();
}

beforeAll(() => createSampleShop(join(dataFolder, "shop.duckdb"), lastDay));

test("the shop has at least 200,000 orders, over the two years that end on the given day", async () => {
  const [row] = await readShop(
    "shop.duckdb",
    `SELECT count(*) >= 200000, min(ordered_at)::date::varchar, max(ordered_at)::date::varchar,
       count(DISTINCT ordered_at::date) FROM orders`,
  );
  expect(row).toEqual([true, "2023-04-02", lastDay, "730"]);
});

test("its file is readable by its owner only", () => {
  expect(statSync(join(dataFolder, "shop.duckdb")).mode & 0o777).toBe(0o600);
});

test("everything refers to something that is there, and totals add up", async () => {
  const counts = await readShop(
    "shop.duckdb",
    `SELECT
      (SELECT count(*) FROM customers ANTI JOIN countries ON code = country_code),
      (SELECT count(*) FROM orders o ANTI JOIN customers c ON c.id = o.customer_id),
      (SELECT count(*) FROM order_items i ANTI JOIN products p ON p.id = i.product_id),
      (SELECT count(*) FROM order_items i ANTI JOIN orders o ON o.id = i.order_id),
      (SELECT count(*) FROM orders o ANTI JOIN (
        SELECT order_id, sum(quantity * unit_price) AS total FROM order_items GROUP BY order_id
      ) t ON t.order_id = o.id AND t.total = o.total)`,
  );
  expect(counts).toEqual([["0", "0", "0", "0", "0"]]);
});

test("making it again gives the same rows, in place of the old file, and leaves nothing beside it", async () => {
  const tables = ["countries", "customers", "products", "orders", "order_items"];
  const fingerprint = tables.map((table) => `(SELECT bit_xor(hash(t))::varchar FROM ${table} t)`).join(", ");
  const before = await readShop("shop.duckdb", `SELECT ${fingerprint}`);
  await createSampleShop(join(dataFolder, "shop.duckdb"), lastDay);
  expect(await readShop("shop.duckdb", `SELECT ${fingerprint}`)).toEqual(before);
  expect(readdirSync(dataFolder).filter((name) => name.startsWith("shop"))).toEqual(["shop.duckdb"]);
});

test("a failure leaves no file behind", async () => {
  await expect(createSampleShop(join(dataFolder, "never.duckdb"), "no day")).rejects.toThrow();
  expect(readdirSync(dataFolder).filter((name) => name.startsWith("never"))).toEqual([]);
});
