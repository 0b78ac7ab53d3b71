import type { AutomationOverview, Caller, ListAutomations, Page } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { type Keyset, type Measured, readByteLimitedPage, startKey } from "../paging/live-page.ts";
import { withContent } from "./automation-row.ts";
import { readLatestRuns } from "./latest-runs.ts";

export async function listAutomations(
  deps: Deps,
  { organizationId }: Caller,
  { limit, cursor }: ListAutomations,
): Promise<Page<AutomationOverview>> {
  const { items, ...rest } = await readByteLimitedPage(
    deps,
    { list: "automations", organizationId, filter: "", limit, cursor },
    {
      measure: (keyset) => measureAutomations(deps, organizationId, keyset),
      read: (ids) => deps.db.prisma.automation.findMany({ where: { id: { in: ids } }, include: withContent }),
    },
  );
  const toOverview = await readLatestRuns(deps, items);
  return { items: items.map(toOverview), ...rest };
}

async function measureAutomations(
  { db }: Pick<Deps, "db">,
  organizationId: string,
  { after, take }: Keyset,
): Promise<Measured[]> {
  const { createdAt, id } = after ?? startKey;
  const { rows } = await db.pool.query<Measured>({
    name: "measure_automations",
    text: `
      SELECT id, created_at AS "createdAt", octet_length(instruction) + coalesce((
        SELECT sum(octet_length(parameter_values::text)) FROM automation_references
        WHERE automation_id = automations.id), 0)::int AS bytes
      FROM automations
      WHERE organization_id = $1 AND deleted_at IS NULL AND (created_at, id) < ($2::timestamptz, $3::uuid)
      ORDER BY created_at DESC, id DESC LIMIT $4`,
    values: [organizationId, createdAt, id, take],
  });
  return rows;
}
