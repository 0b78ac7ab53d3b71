import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Tool } from "./tool.ts";

// An MCP App: a page that clients show beside an answer of a tool, without access to anything but the answer.

const uri = "ui://querybell/chart.html";
const withChart = "run_query";

/** The page of the chart, if the build of the web app has it. */
export function readChartApp(webFolder: string): string | undefined {
  const file = join(webFolder, "mcp-chart.html");
  return webFolder !== "" && existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

export const chartCapabilities = { "io.modelcontextprotocol/ui": {} };

/** The definition of a tool, with the page that shows its answers. */
export const withChartApp = ({ definition }: Tool) =>
  definition.name === withChart ? { ...definition, _meta: { ui: { resourceUri: uri } } } : definition;

/** The page as a resource, for those who may call the tool. */
export function findChartApp(html: string | undefined, wanted: string, allowed: ReadonlyMap<string, Tool>) {
  if (html === undefined || wanted !== uri || !allowed.has(withChart)) return undefined;
  // Without domains, clients allow the page no connections.
  const ui = { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true };
  return { contents: [{ uri, mimeType: "text/html;profile=mcp-app", text: html, _meta: { ui } }] };
}
