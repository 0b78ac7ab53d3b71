import { randomUUID } from "node:crypto";
import { queryTrino, startCluster } from "@querybell/engines/testing/trino";
import type { Deps } from "../deps.ts";
import type { TestEngine } from "./query-factories.ts";

// Tells the statements of this file from those of other test files, which use the same cluster at the same time.
const tag = randomUUID();

/** Statements that run for minutes. */
export const endless: Record<TestEngine, string> = {
  duckdb: "SELECT sum(sqrt(a.range * b.range)) FROM range(10000000) a, range(10000000) b",
  postgres: "SELECT pg_sleep(600)",
  trino: `SELECT count(*) /* ${tag} */ FROM tpch.sf10000.lineitem WHERE comment LIKE '%x%x%'`,
};

/** The number of endless statements that run on the server. DuckDB has none: it runs inside the engine host. */
export async function countEndless({ db }: Deps, engine: TestEngine): Promise<number> {
  switch (engine) {
    case "duckdb":
      return 0;
    case "postgres": {
      const { rows } = await db.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
           AND application_name = 'querybell' AND query LIKE 'FETCH%'`,
      );
      return rows.length;
    }
    case "trino": {
      const { url } = await startCluster();
      const rows = await queryTrino(
        url,
        `SELECT 1 FROM system.runtime.queries WHERE source = 'querybell' AND query LIKE '%/* ${tag} */%'
           AND state NOT IN ('FINISHED', 'FAILED')`,
      );
      return rows?.length ?? Number.NaN;
    }
  }
}
