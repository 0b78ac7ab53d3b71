import type { Caller, QueryId, QueryLineage } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { getQueryRow } from "../queries/get-query.ts";
import { chartSchema } from "./find-charts.ts";

const maxListed = 100;

/** The charts that a query reads, and for each of its own charts the name of its table and the queries that read it. */
export async function getLineage(deps: Deps, caller: Caller, { id }: QueryId): Promise<QueryLineage> {
  await getQueryRow(deps.db.prisma, caller, id);
  const { organizationId } = caller;
  const [uses, charts] = await Promise.all([
    deps.db.prisma.queryUse.findMany({
      where: { queryId: id, organizationId, reference: { deletedAt: null } },
      select: { reference: { select: { shortId: true, title: true, chartName: true } } },
      orderBy: { reference: { title: "asc" } },
      take: maxListed,
    }),
    deps.db.prisma.queryReference.findMany({
      where: { queryId: id, organizationId, deletedAt: null, chartName: { isNot: null } },
      select: {
        shortId: true,
        title: true,
        chartName: true,
        usedBy: {
          where: { query: { deletedAt: null } },
          select: { query: { select: { id: true, name: true, sql: true } } },
          take: maxListed,
        },
      },
      orderBy: [{ createdAt: "asc" }, { id: "asc" }],
      take: maxListed,
    }),
  ]);
  return {
    uses: uses.map(({ reference: { shortId, title, chartName } }) => ({
      shortId,
      title,
      table: `${chartSchema}.${chartName?.name ?? ""}`,
    })),
    charts: charts.map(({ shortId, title, chartName, usedBy }) => ({
      shortId,
      title,
      table: `${chartSchema}.${chartName?.name ?? ""}`,
      usedBy: usedBy.map(({ query }) => ({ id: query.id, name: query.name ?? query.sql.slice(0, 100) })),
    })),
  };
}
