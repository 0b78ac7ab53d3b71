// Runs before the app has loaded: requests the results of the dashboard that the api sent with the page, and adds to the
// heading that the api wrote which moment they show.
import { timeText } from "../../format/times.ts";
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
const dashboard = hasValues ? undefined : sentDashboard();
const runs = shownRuns(dashboard?.charts ?? []);
if (runs.length > 0) requestEarly(addressOfResults(runs));
const [instant, ...others] = dashboard?.instants ?? [];
if (instant && others.length === 0) showInstant(instant.at);

/** As the page will say it, at the same place. The heading may not have been parsed yet. */
function showInstant(at: string): void {
  if (document.readyState === "loading") {
    document.addEventListener("readystatechange", () => showInstant(at), { once: true });
    return;
  }
  const line = document.createElement("p");
  line.className = "early-state";
  line.textContent = `As of ${timeText(new Date(at), "seconds")}.`;
  document.querySelector(".early-heading")?.append(line);
}
