import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const page = `<!doctype html><html><head><meta property="csp-nonce" nonce="__CSP_NONCE__"></head><body><div id="root"></div></body></html>`;
const noFiles = { earlyFiles: [], files: [], laterFiles: [] };
const pages = [
  { address: "/", ...noFiles },
  {
    address: "/q/$shortId",
    earlyFiles: ["assets/early-1.js"],
    files: ["assets/permalink-1.js", "assets/permalink-1.css"],
    laterFiles: ["assets/chart-1.js"],
  },
  { address: "/queries/$queryId", ...noFiles },
  { address: "/queries/new", ...noFiles },
  { address: "/queries/drafts", ...noFiles },
  { address: "/automations/$automationId", ...noFiles },
  { address: "/automations/$automationId/edit", ...noFiles },
  { address: "/automations/new", ...noFiles },
  { address: "/chats/$shortId", ...noFiles },
  { address: "/q/$shortId/edit", ...noFiles },
  { address: "/settings/databases/$databaseId", ...noFiles },
  { address: "/settings/databases/new", ...noFiles },
  { address: "/settings/destinations/$destinationId", ...noFiles },
  { address: "/settings/destinations/$destinationId/edit", ...noFiles },
  { address: "/settings/webhooks/deliveries/$deliveryId", ...noFiles },
  { address: "/settings/webhooks/endpoints/$endpointId", ...noFiles },
  { address: "/settings/webhooks/endpoints/$endpointId/edit", ...noFiles },
];

/** A folder as the build of the web app writes it, without its scripts. */
export async function createWebFolder(onCleanup: (remove: () => Promise<void>) => void): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "querybell-web-"));
  onCleanup(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "index.html"), page);
  await writeFile(join(folder, "pages.json"), JSON.stringify(pages));
  return folder;
}
