import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const page = `<!doctype html><html><head><meta property="csp-nonce" nonce="__CSP_NONCE__"></head><body><div id="root"></div></body></html>`;
const pages = [
  { address: "/", files: [], laterFiles: [] },
  {
    address: "/q/$shortId",
    files: ["assets/permalink-1.js", "assets/permalink-1.css"],
    laterFiles: ["assets/chart-1.js"],
  },
  { address: "/queries/$queryId", files: [], laterFiles: [] },
  { address: "/queries/new", files: [], laterFiles: [] },
  { address: "/queries/drafts", files: [], laterFiles: [] },
  { address: "/automations/$automationId", files: [], laterFiles: [] },
  { address: "/automations/$automationId/edit", files: [], laterFiles: [] },
  { address: "/automations/new", files: [], laterFiles: [] },
  { address: "/chats/$shortId", files: [], laterFiles: [] },
  { address: "/q/$shortId/edit", files: [], laterFiles: [] },
  { address: "/settings/databases/$databaseId", files: [], laterFiles: [] },
  { address: "/settings/databases/new", files: [], laterFiles: [] },
  { address: "/settings/destinations/$destinationId", files: [], laterFiles: [] },
  { address: "/settings/destinations/$destinationId/edit", files: [], laterFiles: [] },
  { address: "/settings/webhooks/deliveries/$deliveryId", files: [], laterFiles: [] },
  { address: "/settings/webhooks/endpoints/$endpointId", files: [], laterFiles: [] },
  { address: "/settings/webhooks/endpoints/$endpointId/edit", files: [], laterFiles: [] },
];

/** A folder as the build of the web app writes it, without its scripts. */
export async function createWebFolder(onCleanup: (remove: () => Promise<void>) => void): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "querybell-web-"));
  onCleanup(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "index.html"), page);
  await writeFile(join(folder, "pages.json"), JSON.stringify(pages));
  return folder;
}
