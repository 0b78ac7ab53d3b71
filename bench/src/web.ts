// The speed of the pages with a CPU throttled to a quarter: the built app, the demo's data, Chromium.
import { createServer } from "@querybell/api/server";
import { freePort } from "@querybell/embedded-postgres";
import { createLogger } from "@querybell/runtime";
import { demoSignIn } from "../../apps/local/src/demo/seed-demo.ts";
import { openBrowser } from "./web/browser.ts";
import { fillDemo } from "./web/demo-data.ts";
import { openInstallation } from "./web/installation.ts";
import { measureGrid, measurePaint, measureTyping } from "./web/measures.ts";
import { shellBytes, webFolder } from "./web/shell.ts";

await using opened = new AsyncDisposableStack();
const port = await freePort();
const { deps, duckdbFolder } = await openInstallation(opened, `http://localhost:${port}`);
const { shortId, chartQueryId, longQueryId, wideQueryId } = await fillDemo(deps, duckdbFolder);
const server = await createServer({
  deps,
  logger: createLogger("bench", "silent"),
  settings: {
    NODE_ENV: "production",
    METRICS_TOKEN: undefined,
    MAX_SUBSCRIPTIONS: 50,
    RATE_LIMIT_PER_MINUTE: 100_000,
    TRUSTED_PROXIES: undefined,
    WEB_FOLDER: webFolder,
  },
});
opened.defer(() => server.close());
await server.listen({ host: "127.0.0.1", port });

const visit = await openBrowser(opened, { url: `http://localhost:${port}`, ...demoSignIn });
const permalink = await measurePaint(visit, `/q/${shortId}`, ".recharts-surface");
const query = await measurePaint(visit, `/queries/${chartQueryId}`, "[role=grid]");
const longFrames = await measureGrid(visit, `/queries/${longQueryId}`);
const typing = await measureTyping(visit, `/queries/${wideQueryId}`);
const kilobytes = Math.ceil((await shellBytes()) / 1024);
console.log(
  `web shell_kb=${kilobytes} permalink_lcp_ms=${permalink} query_lcp_ms=${query} grid_long_frames=${longFrames} type_p99_ms=${typing}`,
);
