import { Prisma, type Tx } from "@querybell/db";
import type { Caller, ChartTable } from "@querybell/domain";
import { engineOf } from "@querybell/engines";
import { namesInSchema } from "@querybell/statements";
import { tokenize } from "@querybell/statements/tokenizer";
import type { Deps } from "../deps.ts";

/** The schema in which results of charts are tables, in queries on uploads. */
export const chartSchema = "charts";

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
  databaseId: string;
}

interface WantedCharts {
  organizationId: string;
  names: readonly string[];
  /** Only those that this query has been saved with. */
  usedBy?: string;
}

/** The charts with these names, as far as there are any that have a query and that the caller sees. */
export const findCharts = (
  tx: Pick<Tx, "$queryRaw">,
  { organizationId, names, usedBy }: WantedCharts,
): Promise<ChartOfName[]> =>
  tx.$queryRaw<ChartOfName[]>`
    SELECT n.name, r.id AS "referenceId", r.short_id AS "shortId", q.id AS "queryId", q.sql, q.version,
      q.analytical_database_config_id AS "databaseId"
    FROM chart_names n
      JOIN query_references r ON r.id = n.reference_id AND r.deleted_at IS NULL
      JOIN queries q ON q.id = r.query_id AND q.deleted_at IS NULL
    WHERE n.organization_id = ${organizationId}::uuid AND n.name = ANY (${[...names]}::text[])
      ${
        usedBy === undefined
          ? Prisma.empty
          : Prisma.sql`AND EXISTS (
              SELECT FROM query_uses u WHERE u.query_id = ${usedBy}::uuid AND u.reference_id = r.id)`
      }
    ORDER BY n.name`;

export const maxListed = 500;

/** The charts whose results the caller can read as tables, by name; the first 500. */
export async function listChartTables(
  { db }: Pick<Deps, "db">,
  { organizationId }: Caller,
): Promise<ChartTable[]> {
  const named = await db.prisma.chartName.findMany({
    where: { organizationId, reference: { deletedAt: null, query: { deletedAt: null } } },
    select: { name: true, reference: { select: { shortId: true, title: true } } },
    orderBy: { name: "asc" },
    take: maxListed,
  });
  return named.map(({ name, reference }) => ({ ...reference, table: `${chartSchema}.${name}` }));
}
