import type { Automation, Caller, ListAutomations, Page } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { newestFirst, readLivePage } from "../paging/live-page.ts";
import { toAutomation, withReferences } from "./automation-row.ts";

export async function listAutomations(
  deps: Deps,
  { organizationId }: Caller,
  { limit, cursor }: ListAutomations,
): Promise<Page<Automation>> {
  const { items, ...rest } = await readLivePage(
    deps,
    { list: "automations", organizationId, filter: "", limit, cursor },
    ({ after, take }) => {
      const { where, orderBy } = newestFirst(after);
      return deps.db.prisma.automation.findMany({
        where: { organizationId, deletedAt: null, ...where },
        include: withReferences,
        orderBy,
        take,
      });
    },
  );
  return { items: items.map(toAutomation), ...rest };
}
