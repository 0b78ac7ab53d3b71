import {
  AppError,
  type Caller,
  type DashboardId,
  type DashboardVersion,
  type DashboardVersionDetail,
  type DashboardVersionNumber,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { type DashboardRow, getDashboardRow, readContent } from "./dashboard-rows.ts";

/** Lists the versions of a dashboard, newest first: the current one and the kept earlier ones. */
export async function listDashboardVersions(
  { db }: Deps,
  { organizationId }: Caller,
  { id }: DashboardId,
): Promise<DashboardVersion[]> {
  const dashboard = await getDashboardRow(db.prisma, { organizationId }, id);
  const earlier = await db.prisma.dashboardVersion.findMany({
    // Leaves out a version that was kept after the dashboard was read.
    where: { organizationId, dashboardId: id, version: { lt: dashboard.version } },
    orderBy: { version: "desc" },
    omit: { content: true },
  });
  return [currentVersion(dashboard), ...earlier].map(toVersion);
}

export async function getDashboardVersion(
  { db }: Deps,
  { organizationId }: Caller,
  { id, version }: DashboardVersionNumber,
): Promise<DashboardVersionDetail> {
  const dashboard = await getDashboardRow(db.prisma, { organizationId }, id);
  // A later version does not exist, and its number may exceed the range of the column.
  const row =
    version === dashboard.version
      ? currentVersion(dashboard)
      : version < dashboard.version
        ? await db.prisma.dashboardVersion.findFirst({ where: { organizationId, dashboardId: id, version } })
        : undefined;
  if (!row) throw new AppError("not_found", "This version of the dashboard is not kept.");
  return { ...toVersion(row), content: readContent(row.content) };
}

const currentVersion = ({ version, content, versionBy, versionAt }: DashboardRow) => ({
  ...{ version, content, createdBy: versionBy, createdAt: versionAt },
});

const toVersion = (row: Omit<DashboardVersion, "createdAt"> & { createdAt: Date }): DashboardVersion => ({
  version: row.version,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
});
