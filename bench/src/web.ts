// The speed of the pages with a CPU throttled to a quarter: the built app, the demo's data, Chromium.
//   --only grid        measures one thing: permalink, query, grid or typing
//   --slowdown 1       does not throttle the CPU
//   --trace            prints what the main thread spent its time on; tracing itself costs time, so the figures are higher
import { parseArgs } from "node:util";
import { createServer } from "@querybell/api/server";
import { freePort } from "@querybell/embedded-postgres";
import { createLogger } from "@querybell/runtime";
import { demoSignIn } from "../../apps/local/src/demo/seed-demo.ts";
import { printFigures } from "./measuring/measuring.ts";
import { openBrowser } from "./web/browser.ts";
import { fillDemo, openInstallation } from "./web/installation.ts";
import { measureGrid, measurePaint, measureTyping } from "./web/measures.ts";
import { shellBytes, webFolder } from "./web/shell.ts";

const { values: options } = parseArgs({
  args: process.argv.slice(3),
  options: {
    only: { type: "string" },
    slowdown: { type: "string", default: "4" },
    trace: { type: "boolean", default: false },
  },
});

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

const visits = await openBrowser(
  opened,
  { url: `http://localhost:${port}`, ...demoSignIn },
  { slowdown: Number(options.slowdown), isTraced: options.trace },
);
const wanted = async (name: string, measure: () => Promise<number>) =>
  options.only === undefined || options.only === name ? measure() : undefined;
const permalink = await wanted("permalink", () => measurePaint(visits, `/q/${shortId}`, "[data-chart]"));
const query = await wanted("query", () => measurePaint(visits, `/queries/${chartQueryId}`, "[role=grid]"));
const longFrames = await wanted("grid", () => measureGrid(visits, `/queries/${longQueryId}`));
const typing = await wanted("typing", () => measureTyping(visits, `/queries/${wideQueryId}`));
const kilobytes = Math.ceil((await shellBytes()) / 1024);
printFigures("web", {
  shell_kb: String(kilobytes),
  permalink_lcp_ms: permalink?.toFixed(0),
  query_lcp_ms: query?.toFixed(0),
  grid_long_frames: longFrames?.toFixed(0),
  type_p99_ms: typing?.toFixed(0),
});
