import { chmod, rename, rm } from "node:fs/promises";
import { DuckdbInstance } from "../duckdb/driver.ts";
import { sql } from "../duckdb/own-sql.ts";
import { sampleShopSql } from "./sample-shop-sql.ts";

/**
 * Writes the sample shop: countries, customers, products, orders over the two years up to `lastDay`, and
 * their items. The same day gives the same rows on any machine. The file appears whole or not at all.
 */
export async function createSampleShop(path: string, lastDay = "2026-06-30"): Promise<void> {
  const unfinished = `${path}.${process.pid}.unfinished`;
  try {
    await rm(unfinished, { force: true });
    await write(unfinished, lastDay);
    await chmod(unfinished, 0o600);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function write(file: string, lastDay: string): Promise<void> {
  const instance = await DuckdbInstance.open(file);
  const connection = await instance.connect();
  try {
    await connection.run(sql`SET VARIABLE last_day = $1::DATE`, [lastDay]);
    await connection.run(sampleShopSql);
    await connection.run(sql`CHECKPOINT`);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
