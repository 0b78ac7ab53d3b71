import type { EngineKind } from "@querybell/domain";
import { withPostgres } from "@querybell/engines/testing/real-databases";
import { runInTrino, trinoSchema } from "@querybell/engines/testing/trino-database";

/** Statements that run for hours. */
export const endless: Record<EngineKind, string> = {
  duckdb: "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000) c",
  postgres: "SELECT pg_sleep(36000)",
  // The comment tells it from statements of other test files, which use the same cluster at the same time.
  trino: `SELECT count(*) /* ${trinoSchema} */ FROM tpch.sf10000.lineitem WHERE comment LIKE '%x%x%'`,
};

/** The number of endless statements that run on the server. DuckDB has none: it runs inside the host. */
export async function countRunning(engine: EngineKind): Promise<number> {
  switch (engine) {
    case "duckdb":
      return 0;
    case "postgres":
      return withPostgres(async (client) => {
        const { rows } = await client.query(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
             AND application_name = 'querybell' AND state = 'active' AND query LIKE 'FETCH%'`,
        );
        return rows.length;
      });
    case "trino": {
      const rows = await runInTrino(
        `SELECT 1 FROM system.runtime.queries WHERE source = 'querybell' AND query LIKE '%/* ${trinoSchema} */%'
           AND state NOT IN ('FINISHED', 'FAILED')`,
      );
      return rows.length;
    }
  }
}
