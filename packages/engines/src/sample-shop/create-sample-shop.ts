import { chmod, rename, rm } from "node:fs/promises";
import { type DuckdbConnection, DuckdbInstance } from "../duckdb/driver.ts";
import { sql } from "../duckdb/trusted-sql.ts";

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
    await fillSampleShop(connection, lastDay);
    await connection.run(sql`CHECKPOINT`);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Creates the tables of the shop in an empty database. */
export async function fillSampleShop(connection: DuckdbConnection, lastDay: string): Promise<void> {
  await connection.run(sql`SET VARIABLE last_day = $1::DATE`, [lastDay]);
  await connection.run(sampleShopSql);
}

/**
 * All randomness comes from MD5 of a name and a number, so the rows are the same on every machine. Orders
 * increase from the first day to the last, most are placed in the evening, and the newest are still open.
 */
const sampleShopSql = sql`
CREATE TEMP MACRO chance(name, n) AS (md5_number_lower(name || n) % 1000000) / 1000000.0;
-- The n-th group of six digits of a hash, as a fraction.
CREATE TEMP MACRO part(hash, n) AS (hash // (1000000 ** n)::UBIGINT % 1000000) / 1000000.0;
CREATE TEMP MACRO pick(name, n, choices) AS choices[1 + (md5_number_lower(name || n) % len(choices))::INTEGER];

CREATE TABLE countries (code VARCHAR PRIMARY KEY, name VARCHAR NOT NULL, region VARCHAR NOT NULL);
INSERT INTO countries VALUES
  ('DE', 'Germany', 'Europe'), ('FR', 'France', 'Europe'), ('GB', 'United Kingdom', 'Europe'),
  ('IT', 'Italy', 'Europe'), ('ES', 'Spain', 'Europe'), ('NL', 'Netherlands', 'Europe'),
  ('SE', 'Sweden', 'Europe'), ('PL', 'Poland', 'Europe'), ('US', 'United States', 'Americas'),
  ('CA', 'Canada', 'Americas'), ('BR', 'Brazil', 'Americas'), ('MX', 'Mexico', 'Americas'),
  ('JP', 'Japan', 'Asia'), ('IN', 'India', 'Asia'), ('KR', 'South Korea', 'Asia'),
  ('AU', 'Australia', 'Oceania'), ('NZ', 'New Zealand', 'Oceania'), ('ZA', 'South Africa', 'Africa');

CREATE TABLE products AS
SELECT
  n::INTEGER AS id,
  pick('adjective', n, ['Classic', 'Compact', 'Sturdy', 'Light', 'Quiet', 'Foldable', 'Organic', 'Bright']) || ' ' ||
    pick('noun', n, CASE category
      WHEN 'Kitchen' THEN ['Kettle', 'Pan', 'Knife', 'Grinder', 'Teapot']
      WHEN 'Garden' THEN ['Spade', 'Planter', 'Hose', 'Lantern', 'Bench']
      WHEN 'Office' THEN ['Lamp', 'Notebook', 'Chair', 'Shelf', 'Pen']
      WHEN 'Outdoor' THEN ['Tent', 'Backpack', 'Bottle', 'Stove', 'Hammock']
      ELSE ['Puzzle', 'Robot', 'Kite', 'Drum', 'Train'] END) || ' ' || n AS name,
  category,
  (3 + floor(chance('price', n) * chance('price2', n) * 24700) / 100)::DECIMAL(10, 2) AS price
FROM (SELECT n, pick('category', n, ['Kitchen', 'Garden', 'Office', 'Outdoor', 'Toys']) AS category FROM range(1, 201) t(n))
ORDER BY id;

CREATE TABLE customers AS
SELECT
  n::INTEGER AS id,
  first_name || ' ' || last_name AS name,
  lower(first_name || '.' || last_name) || n || '@example.com' AS email,
  -- Squaring makes the first countries of the list the larger markets.
  (SELECT list(code ORDER BY rowid) FROM countries)[1 + floor(pow(chance('country', n), 2) * 18)::INTEGER] AS country_code,
  (getvariable('last_day') - floor(chance('signup', n) * 1100)::INTEGER)::DATE AS signed_up_on
FROM (
  SELECT n,
    pick('first', n, ['Ada', 'Ben', 'Chiara', 'Dmitri', 'Elif', 'Fatou', 'Goro', 'Hana', 'Ines', 'Jonas', 'Kofi', 'Lena', 'Mateo', 'Nora', 'Omar', 'Priya']) AS first_name,
    pick('last', n, ['Almeida', 'Bauer', 'Chen', 'Dubois', 'Eriksen', 'Fischer', 'Garcia', 'Haddad', 'Ito', 'Jensen', 'Kowalski', 'Lopez', 'Murphy', 'Nowak', 'Okafor', 'Patel']) AS last_name
  FROM range(1, 20001) t(n))
ORDER BY id;

CREATE TEMP TABLE placed AS
SELECT
  n::INTEGER AS id,
  (1 + floor(pow(part(a, 0), 1.5) * 20000))::INTEGER AS customer_id,
  -- The inverse of a density that doubles over the two years of 730 days; the day peaks at six.
  (getvariable('last_day') - 729 + floor((sqrt(1 + 3 * (n - 1) / 220000.0) - 1) * 730)::INTEGER)::TIMESTAMP
    + to_seconds((64800 + floor((part(a, 1) + part(a, 2) - 1) * 43200)::BIGINT) % 86400) AS ordered_at,
  ['web', 'web', 'web', 'app', 'app', 'store'][1 + floor(part(b, 0) * 6)::INTEGER] AS channel,
  1 + floor(pow(part(b, 1), 2) * 3)::INTEGER AS lines,
  part(b, 2) AS fate
FROM (SELECT n, md5_number_lower('order' || n) AS a, md5_number_upper('order' || n) AS b FROM range(1, 220001) t(n));

CREATE TABLE order_items AS
SELECT i.order_id, i.line, p.id AS product_id, i.quantity, p.price AS unit_price
FROM (
  SELECT order_id, line,
    (1 + floor(pow(part(h, 0), 1.4) * 200))::INTEGER AS product_id,
    (1 + floor(pow(part(h, 1), 3) * 5))::INTEGER AS quantity
  FROM (
    SELECT id AS order_id, line::INTEGER AS line, md5_number_lower('item' || id || '/' || line) AS h
    FROM placed, range(1, 4) l(line) WHERE line <= lines)
) i JOIN products p ON p.id = i.product_id
ORDER BY i.order_id, i.line;

CREATE TABLE orders AS
SELECT o.id, o.customer_id, o.ordered_at,
  CASE
    WHEN o.fate < 0.04 THEN 'cancelled'
    WHEN o.ordered_at >= getvariable('last_day') - 2 THEN 'processing'
    WHEN o.ordered_at >= getvariable('last_day') - 6 THEN 'shipped'
    WHEN o.fate < 0.1 THEN 'returned'
    ELSE 'delivered' END AS status,
  o.channel,
  t.total
FROM placed o JOIN (
  SELECT order_id, sum(quantity * unit_price)::DECIMAL(12, 2) AS total FROM order_items GROUP BY order_id
) t ON t.order_id = o.id
ORDER BY o.id;
`;
