import type { Caller, ChartTable } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { chartSchema } from "./find-charts.ts";

const maxListed = 500;

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
