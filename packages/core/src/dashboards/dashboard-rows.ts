import type { Prisma, Tx } from "@querybell/db";
import { AppError, type Caller, Dashboard, noFilters } from "@querybell/domain";
import { lockRow } from "../lock-row.ts";

/** Without the time of the last refresh, which may be -infinity. */
export const withoutLastRun = { lastRunAt: true } as const;
export type DashboardRow = Omit<Prisma.DashboardModel, "lastRunAt">;

/** Of a new dashboard. */
export const emptyContent: Dashboard["content"] = {
  tabs: [{ id: "tab-1", title: "Overview", tiles: [] }],
  filters: noFilters(),
};

const dashboardNotFound = () =>
  new AppError("not_found", "There is no such dashboard in this organization. It may have been deleted.");

/** Gets the row of a dashboard. Throws if it does not exist or is deleted. */
export async function getDashboardRow(
  tx: Pick<Tx, "dashboard">,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<DashboardRow> {
  const where = { id, organizationId, deletedAt: null };
  const row = await tx.dashboard.findFirst({ where, omit: withoutLastRun });
  if (!row) throw dashboardNotFound();
  return row;
}

/** The same, and locks it: no other transaction changes or refreshes it until this one ends. */
export async function lockDashboard(tx: Tx, caller: Caller, id: string): Promise<DashboardRow> {
  const { organizationId } = caller;
  await lockRow(tx, { table: "dashboards", key: { id }, organizationId, strength: "NO KEY UPDATE" });
  return getDashboardRow(tx, caller, id);
}

const StoredContent = Dashboard.shape.content;
type StoredContent = Dashboard["content"];

export const readContent = (content: unknown): StoredContent => StoredContent.parse(content);

/** The references that a content shows, each once. */
export const referencesOf = ({ tabs }: StoredContent): string[] => [
  ...new Set(
    tabs.flatMap(({ tiles }) => tiles.flatMap((tile) => (tile.kind === "chart" ? [tile.referenceId] : []))),
  ),
];

export const toDashboard = (row: DashboardRow): Dashboard => ({
  id: row.id,
  title: row.title,
  description: row.description,
  content: readContent(row.content),
  version: row.version,
  versionBy: row.versionBy,
  versionAt: row.versionAt.toISOString(),
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  autoRefresh: toAutoRefresh(row),
});

const StoredAutoRefresh = Dashboard.shape.autoRefresh;

export const toAutoRefresh = ({
  refreshSchedule: schedule,
  refreshOnOpenSeconds: onOpenSeconds,
}: Pick<DashboardRow, "refreshSchedule" | "refreshOnOpenSeconds">): Dashboard["autoRefresh"] =>
  StoredAutoRefresh.parse({ schedule, onOpenSeconds });
