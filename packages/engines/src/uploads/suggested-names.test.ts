import { suggestTableName } from "@querybell/domain";
import { expect, test } from "vitest";
import { sql } from "../duckdb/trusted-sql.ts";
import { openParser } from "../duckdb/validation/parse-select.ts";

test("no reserved word of the installed DuckDB is suggested as the name of a table", async () => {
  const reader = await (await openParser()).runAndReadAll(
    sql`SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'`,
  );
  const words = reader.getRowsJson().map(([word]) => String(word));
  expect(words.length).toBeGreaterThan(50);
  expect(words.filter((word) => suggestTableName(`${word}.csv`) === word)).toEqual([]);
});
