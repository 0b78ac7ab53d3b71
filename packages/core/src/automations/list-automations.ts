import type { AutomationOverview, Caller, ListAutomations, Page } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { newestFirst, readLivePage } from "../paging/live-page.ts";
import { withContent } from "./automation-row.ts";
import { readLatestRuns } from "./latest-runs.ts";

export async function listAutomations(
  deps: Deps,
  { organizationId }: Caller,
  { limit, cursor }: ListAutomations,
): Promise<Page<AutomationOverview>> {
  const { items, ...rest } = await readLivePage(
    deps,
    { list: "automations", organizationId, filter: "", limit, cursor },
    ({ after, take }) => {
      const { where, orderBy } = newestFirst(after);
      return deps.db.prisma.automation.findMany({
        where: { organizationId, deletedAt: null, ...where },
        include: withContent,
        orderBy,
        take,
      });
    },
  );
  const toOverview = await readLatestRuns(deps, items);
  return { items: items.map(toOverview), ...rest };
}
