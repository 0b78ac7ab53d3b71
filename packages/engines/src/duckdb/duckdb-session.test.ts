import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { connect, Database } from "../engines.ts";
import { dataFolder, duckdbContext, runInDuckdb } from "../testing/real-databases.ts";

const path = (name: string) => join(dataFolder, name);

beforeAll(async () => {
  await runInDuckdb("CREATE TABLE theirs AS SELECT 1 AS a", "other.duckdb");
  writeFileSync(path("secret.csv"), "s\nsecret\n");
  symlinkSync(path("other.duckdb"), path("link.duckdb"));
});

describe("a DuckDB configuration", () => {
  test.each([
    "../other.duckdb",
    "/etc/passwd",
    "a/b.duckdb",
    "..",
    ".duckdb",
    "x.duckdb\0",
    "secret.csv",
    ":memory:",
    "",
  ])("with the file %j is refused", (file) => {
    expect(Database.safeParse({ engine: "duckdb", configuration: { file } }).success).toBe(false);
  });

  test.each(["missing.duckdb", "link.duckdb"])(
    "of %s, which is not a regular file, finds no database",
    async (file) => {
      const opening = connect({ engine: "duckdb", configuration: { file } }, duckdbContext);
      await expect(opening).rejects.toMatchObject({ code: "database_unreachable" });
      expect(existsSync(path("missing.duckdb"))).toBe(false);
    },
  );

  test("of a file that is not a database says so", async () => {
    writeFileSync(path("text.duckdb"), "just text");
    const opening = connect({ engine: "duckdb", configuration: { file: "text.duckdb" } }, duckdbContext);
    const error = await opening.catch((refusal: unknown) => refusal);
    expect(error).toMatchObject({ code: "database_unreachable" });
    expect(String(error)).not.toContain(dataFolder);
  });
});
