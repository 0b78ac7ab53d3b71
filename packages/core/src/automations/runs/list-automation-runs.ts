import type { AutomationRun, Caller, ListAutomationRuns, Page } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { newestFirst, readLivePage } from "../../paging/live-page.ts";
import { toAutomationRuns } from "./automation-run-row.ts";

/** Lists the runs of one automation or of all, newest first. */
export async function listAutomationRuns(
  deps: Deps,
  { organizationId }: Caller,
  { automationId, limit, cursor }: ListAutomationRuns,
): Promise<Page<AutomationRun>> {
  const filter = automationId === undefined ? "" : `automationId=${automationId}`;
  const { items, ...rest } = await readLivePage(
    deps,
    { list: "automation_runs", organizationId, filter, limit, cursor },
    ({ after, take }) => {
      const { where, orderBy } = newestFirst(after);
      return deps.db.prisma.automationRun.findMany({
        where: { organizationId, isTrial: false, ...(automationId && { automationId }), ...where },
        omit: { brief: true },
        orderBy,
        take,
      });
    },
  );
  return { items: await toAutomationRuns(deps, items), ...rest };
}
