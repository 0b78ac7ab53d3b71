import { describe, expect, onTestFinished, test } from "vitest";
import { contextOf, execute } from "../testing/real-databases.ts";
import { hasTrino } from "../testing/trino/test-cluster.ts";
import { runInTrino, trinoDatabase, trinoSchema, useTrino } from "../testing/trino/trino-database.ts";
import { openReadOnly } from "./connect-trino.ts";

describe.skipIf(!hasTrino)("a session on Trino", () => {
  useTrino();

  test("writes nothing even without validation", async () => {
    await runInTrino(`CREATE TABLE memory.${trinoSchema}.kept AS SELECT 1 AS a`);
    const database = trinoDatabase();
    if (database.engine !== "trino") throw new Error("This is no Trino.");
    for (const text of ["INSERT INTO kept VALUES 2", "DROP TABLE kept", "CREATE TABLE more (a bigint)"]) {
      await expect(execute("trino", { text, values: [] }), text).rejects.toMatchObject({
        code: "query_failed",
        message: expect.stringMatching(/^A query can only read/),
      });
      const { http, client } = await openReadOnly(database.configuration, contextOf(database));
      onTestFinished(() => http.close());
      let page = await client.post(text);
      while (page.nextUri) page = await client.next(page.nextUri);
      expect(page.error?.errorName, text).toBe("READ_ONLY_VIOLATION");
    }
    expect(await runInTrino(`SELECT a FROM memory.${trinoSchema}.kept`)).toEqual([[1]]);
    expect(await runInTrino(`SHOW TABLES FROM memory.${trinoSchema}`)).toEqual([["kept"]]);
  });
});
