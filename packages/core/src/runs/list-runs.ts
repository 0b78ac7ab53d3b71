import type { Caller, ListRuns, Page, RunDetail } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readPage } from "../paging/read-page.ts";
import { toRunDetail } from "./run-row.ts";

/** The history of a query, or of all of them. */
export async function listRuns(
  { db }: Deps,
  { organizationId }: Caller,
  { queryId, ...page }: ListRuns,
): Promise<Page<RunDetail>> {
  const { items, ...rest } = await readPage(page, ({ where, ...order }) =>
    db.prisma.queryRun.findMany({
      where: { organizationId, ...(queryId && { queryId }), ...where },
      ...order,
    }),
  );
  return { items: items.map(toRunDetail), ...rest };
}
