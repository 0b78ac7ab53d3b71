import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin, ViteDevServer } from "vite";
import { readRoutes } from "../build/pages-manifest.ts";

const page = "index.html";
const startModule = "virtual:start-in-development";

/**
 * What Vite would write into the page inline, which the content security policy forbids: the set-up of React's hot
 * reload. The policy also forbids Vite's worker that waits for a stopped server; without the type, the page waits itself.
 */
const startCode = `
import "@vitejs/plugin-react/preamble";
Reflect.deleteProperty(globalThis, "SharedWorker");
`;

/** The elements of Vite's own page, with files instead of inline scripts. Vite's client reads the nonce for its styles. */
const head = `
    <meta property="csp-nonce" nonce="__CSP_NONCE__">
    <script type="module" src="/@vite/client"></script>
    <script type="module" src="/@id/${startModule}"></script>
`;

/** Writes what the api reads of the built web app in production: the HTML page, and the list of pages. */
export async function writePageFiles(server: ViteDevServer, folder: string): Promise<void> {
  await writePage(server, folder);
  await writePages(server, folder);
}

/** Keeps those files up to date, and adds the module that the page names. */
export const pageFiles = (folder: string): Plugin => ({
  name: "page-files",
  resolveId: (id) => (id === startModule ? `\0${startModule}` : undefined),
  load: (id) => (id === `\0${startModule}` ? startCode : undefined),
  configureServer(server) {
    for (const event of ["add", "change", "unlink"] as const) {
      server.watcher.on(event, (file) => void update(server, folder, file));
    }
  },
});

async function update(server: ViteDevServer, folder: string, file: string): Promise<void> {
  try {
    if (file === join(server.config.root, page)) await writePage(server, folder);
    if (/(?:routes|router)\.tsx$/.test(file)) await writePages(server, folder);
  } catch (error) {
    server.config.logger.error(String(error));
  }
}

async function writePage({ config }: ViteDevServer, folder: string): Promise<void> {
  const source = await readFile(join(config.root, page), "utf8");
  await writeIfChanged(join(folder, page), source.replace("<head>", `<head>${head}`));
}

async function writePages(server: ViteDevServer, folder: string): Promise<void> {
  const pages = Object.keys(await readRoutes(server)).map((address) => ({
    address,
    earlyFiles: [],
    files: [],
    laterFiles: [],
  }));
  await writeIfChanged(join(folder, "pages.json"), JSON.stringify(pages));
}

/** The api restarts when a file changes, and must not read one that is half written. */
async function writeIfChanged(file: string, text: string): Promise<void> {
  const written = await readFile(file, "utf8").catch(() => undefined);
  if (written === text) return;
  await writeFile(`${file}.new`, text);
  await rename(`${file}.new`, file);
}
