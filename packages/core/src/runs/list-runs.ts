import type { Caller, ListRuns, Page, RunDetail } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { newestFirst, readLivePage } from "../paging/live-page.ts";
import { toRunDetail } from "./run-row.ts";

/** The history of a query, or of all of them. */
export async function listRuns(
  deps: Deps,
  { organizationId }: Caller,
  { queryId, limit, cursor }: ListRuns,
): Promise<Page<RunDetail>> {
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
  return { items: items.map(toRunDetail), ...rest };
}
