import { setTimeout as delay } from "node:timers/promises";
import type { Deps } from "@querybell/core";
import { getRefresh, refreshDashboard } from "@querybell/core/dashboards";
import type { Caller, DashboardRefresh } from "@querybell/domain";

/** Refreshes a dashboard, and resolves once all of its runs have ended. */
export async function refreshToEnd(deps: Deps, caller: Caller, id: string): Promise<DashboardRefresh> {
  let refresh = await refreshDashboard(deps, caller, { id });
  while (refresh.isUnfinished) {
    await delay(5);
    refresh = await getRefresh(deps, caller, { id: refresh.id });
  }
  return refresh;
}
