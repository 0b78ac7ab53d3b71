export { createDashboard, insertDashboard, updateDashboard } from "./change-dashboard.ts";
export { getDashboardVersion, listDashboardVersions } from "./dashboard-versions.ts";
export { drawDashboard } from "./draw-dashboard.ts";
export { getDashboard } from "./get-dashboard.ts";
export { cancelRefresh, getRefresh, refreshDashboard } from "./refresh-dashboard.ts";
export { noteEndedRefreshes, refreshDueDashboards } from "./scheduled-refreshes.ts";
