import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge } from "@modelcontextprotocol/ext-apps/app-bridge";
import { createKey } from "@querybell/core/keys";
import { runQuery } from "@querybell/core/runs";
import { execute } from "@querybell/core/testing";
import type { Frame, Page } from "playwright-core";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import { walkTest } from "../testing/walk-test.ts";

const Shown = z.object({ ui: z.object({ resourceUri: z.string() }) });
const App = z.object({
  mimeType: z.literal("text/html;profile=mcp-app"),
  text: z.string(),
  _meta: z.object({ ui: z.object({ csp: z.object({ connectDomains: z.array(z.string()).length(0) }) }) }),
});

/** Shows a page as programs do: in a frame without an origin, behind the official code of hosts. */
async function showApp(page: Page, html: string, hostContext: { theme: "light" | "dark"; locale: string }) {
  const bridge = new AppBridge(null, { name: "test", version: "1.0.0" }, {}, { hostContext });
  const transport: Parameters<AppBridge["connect"]>[0] = {
    start: async () => {},
    close: async () => {},
    send: (message) => {
      const sent = JSON.stringify(message);
      return page.evaluate(`document.querySelector("iframe").contentWindow.postMessage(${sent}, "*")`);
    },
  };
  await page.exposeFunction("toHost", (message: Parameters<NonNullable<typeof transport.onmessage>>[0]) =>
    transport.onmessage?.(message),
  );
  const initialized = new Promise<void>((resolve) => bridge.addEventListener("initialized", () => resolve()));
  const heights: number[] = [];
  bridge.addEventListener("sizechange", ({ height = 0 }) => heights.push(height));
  await bridge.connect(transport);
  const source = html.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  await page.setContent(`
    <script>addEventListener("message", ({ data }) => toHost(data));</script>
    <iframe title="Chart" width="700" height="500" sandbox="allow-scripts" srcdoc="${source}"></iframe>`);
  await initialized;
  const [, frame] = page.frames();
  if (!frame) throw new Error("The frame is missing.");
  return { bridge, frame, heights };
}

const texts = (frame: Frame) => frame.locator("svg text").allTextContents();

walkTest(
  "a program shows the rows of run_query as a chart, without a network",
  async ({ api, browser, deps, make }) => {
    const owner = await make.owner();
    const sql =
      "SELECT (DATE '2026-01-01' + INTERVAL (m) MONTH)::DATE AS month, 1000.5 * (m + 1) AS revenue FROM range(150) t(m)";
    const { id } = await make.query(owner, sql);
    await execute(deps, (await runQuery(deps, owner, { id, parameterValues: {} })).id);
    const { key } = await createKey(deps, owner, {
      name: "Program",
      scopes: ["queries:run", "queries:read"],
    });
    const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), { requestInit }));
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    const shown = tools.filter(({ _meta }) => _meta !== undefined);
    expect(shown.map(({ name }) => name)).toEqual(["run_query"]);
    const uri = Shown.parse(shown[0]?._meta).ui.resourceUri;
    const { text: html } = App.parse((await client.readResource({ uri })).contents[0]);

    const page = await browser.newPage();
    onTestFinished(() => page.close());
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    const { bridge, frame, heights } = await showApp(page, html, { theme: "light", locale: "de-DE" });
    const answer = await client.callTool({ name: "run_query", arguments: { id } });
    await bridge.sendToolResult(answer);
    await frame.getByText("Drawn from 100 of 150 rows.").waitFor();
    expect(await texts(frame)).toEqual(expect.arrayContaining(["Revenue by month"]));
    expect(await texts(frame), "numbers as the user writes them").toEqual(
      expect.arrayContaining([expect.stringMatching(/^\d+\.000$|^\d+ Tsd|^\d+\.\d{3}$/)]),
    );
    expect(heights.at(-1)).toBeGreaterThan(300);

    bridge.setHostContext({ theme: "dark", locale: "de-DE" });
    await frame.locator('html[data-scheme="dark"]').waitFor();
    const hostile = [["<img src=x onerror=alert(1)>", "</script>"]];
    const columns = [
      { name: "<b>name</b>", type: "string" },
      { name: "b", type: "string" },
    ];
    await bridge.sendToolResult({ content: [], structuredContent: { columns, rows: hostile, rowCount: 1 } });
    await frame.getByRole("cell", { name: "<img src=x onerror=alert(1)>" }).waitFor();
    await bridge.sendToolResult({
      content: [{ type: "text", text: "The run failed.\nMore" }],
      isError: true,
    });
    await frame.getByText("The run failed.").waitFor();
    await bridge.teardownResource({});

    const blocked = await frame.evaluate(
      (url) =>
        fetch(url).then(
          () => "loaded",
          () => "blocked",
        ),
      api.url,
    );
    expect(blocked).toBe("blocked");
    expect(requests.filter((url) => url.startsWith("http"))).toEqual([]);
  },
);
