// Runs before the app has loaded: requests the results of the dashboard that the api sent with the page.
import { requestEarly } from "../../results/request-results.ts";
import type { Dashboard } from "./dashboard.ts";
import { addressOfResults, shownRuns } from "./shown-runs.ts";

interface PageRead {
  procedure: string;
  data: unknown;
}

function sentDashboard(): Dashboard | undefined {
  const text = document.getElementById("page-data")?.textContent;
  const reads: PageRead[] = text ? JSON.parse(text) : [];
  // Only its own type says what the api sends.
  return reads.find(({ procedure }) => procedure === "dashboards.get")?.data as Dashboard | undefined;
}

/** The api sends a dashboard without values of its filters: with some in the address, the page asks for another. */
const hasValues = [...new URLSearchParams(location.search).keys()].some((name) => name.startsWith("p."));
const runs = hasValues ? [] : shownRuns(sentDashboard()?.charts ?? []);
if (runs.length > 0) requestEarly(addressOfResults(runs));
