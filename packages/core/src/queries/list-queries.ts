import type { Caller, ListPage, Page, Query } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readPage } from "../paging/read-page.ts";
import { readLatestRuns } from "./latest-runs.ts";
import { toQuery } from "./query-row.ts";

export async function listQueries(
  deps: Deps,
  { organizationId }: Caller,
  input: ListPage,
): Promise<Page<Query>> {
  const page = await readPage(input, ({ where, ...order }) =>
    deps.db.prisma.query.findMany({ where: { organizationId, deletedAt: null, ...where }, ...order }),
  );
  const runs = await readLatestRuns(
    deps,
    page.items.map(({ id }) => id),
  );
  return { ...page, items: page.items.map((row) => toQuery(row, runs.get(row.id))) };
}
