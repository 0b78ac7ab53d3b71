import type { Deps } from "@querybell/core";
import { runQuery } from "@querybell/core/runs";
import type { Caller } from "@querybell/domain";
import { demoQueries } from "./demo-queries.ts";

/**
 * Queues a run of each demo query whose result is absent or expired, so that its permalink shows a chart at once.
 * Queries that a user has changed are skipped.
 */
export async function runDemoQueries(deps: Deps, caller: Caller): Promise<void> {
  const { organizationId } = caller;
  const unchanged = await deps.db.prisma.query.findMany({
    where: {
      organizationId,
      deletedAt: null,
      database: { deletedAt: null },
      sql: { in: demoQueries.map(({ sql }) => sql) },
      results: { none: { expiresAt: { gt: deps.clock.now() } } },
    },
    include: { references: { where: { deletedAt: null }, orderBy: { createdAt: "asc" }, take: 1 } },
  });
  for (const { id, references } of unchanged) {
    const [reference] = references;
    if (reference) await runQuery(deps, caller, { id, shortId: reference.shortId, parameterValues: {} });
  }
}
