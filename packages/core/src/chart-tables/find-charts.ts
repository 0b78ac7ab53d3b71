import type { Tx } from "@querybell/db";
import type { EngineKind } from "@querybell/domain";
import { engineOf } from "@querybell/engines";
import { namesInSchema } from "@querybell/statements";
import { tokenize } from "@querybell/statements/tokenizer";

/** The schema in which results of charts are tables, in queries on uploads. */
const chartSchema = "charts";

/** The names that follow `charts.` in a statement for the database of uploads. Not all need to be charts. */
export const findChartNames = (sql: string): string[] =>
  namesInSchema({ tokens: tokenize(sql, engineOf("duckdb").dialect) }, chartSchema);

/** A chart whose result is a table, with its query. */
export interface ChartOfName {
  name: string;
  referenceId: string;
  shortId: string;
  queryId: string;
  sql: string;
  version: number;
  engine: EngineKind;
}

/** The charts with these names, as far as there are any that have a query. */
export const findCharts = (
  tx: Pick<Tx, "$queryRaw">,
  organizationId: string,
  names: readonly string[],
): Promise<ChartOfName[]> =>
  tx.$queryRaw<ChartOfName[]>`
    SELECT n.name, r.id AS "referenceId", r.short_id AS "shortId", q.id AS "queryId", q.sql, q.version, d.engine
    FROM chart_names n
      JOIN query_references r ON r.id = n.reference_id AND r.deleted_at IS NULL
      JOIN queries q ON q.id = r.query_id AND q.deleted_at IS NULL
      JOIN analytical_database_configs d
        ON d.organization_id = q.organization_id AND d.id = q.analytical_database_config_id
    WHERE n.organization_id = ${organizationId}::uuid AND n.name = ANY (${[...names]}::text[])
    ORDER BY n.name`;
