import { expect, test } from "vitest";
import { DuckdbInstance } from "./driver.ts";
import { sql, sqlList, sqlMap, sqlName, sqlString, sqlType } from "./trusted-sql.ts";

test("texts and names of others stay texts and names", async () => {
  const instance = await DuckdbInstance.open(":memory:");
  const connection = await instance.connect();
  const hostile = [`'; PRAGMA table_info(error('x')) --`, `"; SELECT error('x') --`, "\\'", "ä\n😀", "$$"];
  for (const text of hostile) {
    const map = sqlMap([[text, text]]);
    const query = sql`SELECT ${sqlList([sqlString(text), map])} AS ${sqlName(text)}, ${1}`;
    const reader = await connection.runAndReadAll(query);
    expect(reader.getRowsJson()).toEqual([[text, { [text]: text }, 1]]);
    expect(reader.columnNames()[1]).toBe(text);
  }
  connection.closeSync();
  instance.closeSync();
});

test.each([
  "BIGINT",
  "DECIMAL(18,2)",
  "TIMESTAMP WITH TIME ZONE",
  `STRUCT("a)b" INTEGER[], c MAP(VARCHAR, DOUBLE))[3]`,
  "ENUM('it''s', ')')",
])("%s is a type", (type) => {
  expect(sqlType(type).text).toBe(type);
});

test.each([
  "",
  "BIGINT) FROM read_csv('x') --",
  "BIGINT); SELECT (1",
  "BIGINT; SELECT 1",
  "DECIMAL(18",
  "BIGINT /*",
  "ENUM(e'\\')",
  "VARCHAR USING $$x$$",
  "BIGINT -- x",
  "ENUM('x",
])("%j is not", (type) => {
  expect(() => sqlType(type)).toThrow(/is not the name of a type/);
});
