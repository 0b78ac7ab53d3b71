import type { Caller, ListedRun, ListRuns, Page } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { newestFirst, readLivePage } from "../paging/live-page.ts";
import { findStarters } from "./find-starters.ts";
import { toRunDetail } from "./run-row.ts";

/** The history of a query, or of all of them. */
export async function listRuns(
  deps: Deps,
  { organizationId }: Caller,
  { queryId, limit, cursor }: ListRuns,
): Promise<Page<ListedRun>> {
  const filter = queryId === undefined ? "" : `queryId=${queryId}`;
  const { items, ...rest } = await readLivePage(
    deps,
    { list: "runs", organizationId, filter, limit, cursor },
    ({ after, take }) => {
      const { where, orderBy } = newestFirst(after);
      return deps.db.prisma.queryRun.findMany({
        where: { organizationId, ...(queryId && { queryId }), ...where },
        orderBy,
        take,
      });
    },
  );
  const startedBy = await findStarters(
    deps,
    { organizationId },
    items.map(({ triggerId }) => triggerId),
  );
  return {
    items: items.map((row) => ({ ...toRunDetail(row), startedBy: startedBy(row.triggerId) })),
    ...rest,
  };
}
