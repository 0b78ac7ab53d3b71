import { createDashboard } from "@querybell/core/dashboards";
import { createDatabase } from "@querybell/core/databases";
import { toPostgresConnection } from "@querybell/core/testing/postgres-connection";
import { CreateDatabase, DashboardContent } from "@querybell/domain";
import { freePort } from "@querybell/embedded-postgres";
import type { Page } from "playwright-core";
import { addOrganization } from "../fairness/organization.ts";
import { apiEntry, startChild, workerEntry } from "../webhooks/child.ts";
import { startInstallation } from "../webhooks/installation.ts";
import { refreshToEnd } from "./refresh-to-end.ts";
import { createTwelveCharts, placeOf } from "./twelve-charts.ts";

/** An api and a worker, and a refreshed dashboard of 12 charts on Postgres; some of them are tables on a second tab. */
export async function startBoard(opened: AsyncDisposableStack) {
  const installation = await startInstallation({ onError: console.error });
  opened.defer(installation.dispose);
  const { deps, settings } = installation;
  const { caller, email, password } = await addOrganization(installation);
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const environment = {
    ...installation.environment,
    ANALYTICS_NETWORKS: "127.0.0.0/8",
    PUBLIC_URL: url,
    PORT: String(port),
  };
  let api = await startChild(apiEntry, environment);
  opened.defer(() => api.kill());
  const worker = await startChild(workerEntry, environment);
  opened.defer(worker.kill);

  const connection = toPostgresConnection(settings.DATABASE_URL);
  const database = await createDatabase(deps, caller, CreateDatabase.parse({ name: "Shop", connection }));
  const references = await createTwelveCharts(deps, caller, database.id);
  const tile = { kind: "chart", shows: "chart" };
  const tiles = references.map((referenceId, at) => ({ ...tile, id: `${at}`, referenceId, ...placeOf(at) }));
  const tables = tiles.slice(4, 8).map((one) => ({ ...one, id: `table-${one.id}`, shows: "table" }));
  const content = DashboardContent.parse({
    tabs: [
      { id: "charts", title: "Charts", tiles },
      { id: "tables", title: "Tables", tiles: tables },
    ],
  });
  const title = "The shop";
  const { id } = await createDashboard(deps, caller, { title, description: null, folderId: null, content });
  await refreshToEnd(deps, caller, id);
  return {
    deps,
    /** The owner. */
    caller,
    signIn: { url, email, password },
    dashboard: { id, title, content, chartTiles: tiles.length },
    /** Stops the api, as for an update, and starts it again. */
    async restartApi(whileAway: () => Promise<void>): Promise<void> {
      await api.stop();
      await whileAway();
      api = await startChild(apiEntry, environment);
    },
  };
}

/** A selector of the tiles whose chart or table is drawn. */
export const drawnTile = "section[data-kind=chart]:has([data-chart], [role=gridcell])";

/** Waits until so many tiles are drawn. */
export const waitForTiles = (page: Page, count: number): Promise<void> =>
  page
    .locator(drawnTile)
    .nth(count - 1)
    .waitFor({ state: "attached", timeout: 300_000 });
