import { type Caller, DashboardContent } from "@querybell/domain";
import type { Deps } from "../../deps.ts";
import { createQuery } from "../../queries/index.ts";
import { createReference } from "../../references/index.ts";
import { execute } from "../../testing/run-states.ts";
import { createDashboard } from "../index.ts";

interface NewDashboard {
  analyticalDatabaseConfigId: string;
  statements: string[];
}

/** A dashboard with a chart for each statement. */
export async function makeDashboard(
  deps: Deps,
  caller: Caller,
  { analyticalDatabaseConfigId, statements }: NewDashboard,
) {
  const charts: { id: string; queryId: string }[] = [];
  for (const sql of statements) {
    const { id: queryId } = await createQuery(deps, caller, { sql, analyticalDatabaseConfigId });
    const { id } = await createReference(deps, caller, { queryId, title: sql });
    charts.push({ id, queryId });
  }
  const tiles = charts.map(({ id: referenceId }, at) => ({
    ...{ id: `tile-${at}`, kind: "chart", referenceId, shows: "chart", x: 0, y: at * 4, w: 6, h: 4 },
  }));
  const content = DashboardContent.parse({ tabs: [{ id: "tab", title: "Overview", tiles }] });
  const { id } = await createDashboard(deps, caller, {
    title: "Sums",
    description: null,
    folderId: null,
    content,
  });
  return { id, charts };
}

export const runsOf = (deps: Deps, refreshId: string) =>
  deps.db.prisma.queryRun.findMany({ where: { refreshId }, orderBy: { id: "asc" } });

/** Executes what a worker would claim of a refresh. */
export async function executeRefresh(deps: Deps, refreshId: string): Promise<void> {
  for (const { id, leaderId } of await runsOf(deps, refreshId))
    if (leaderId === null) await execute(deps, id);
}
