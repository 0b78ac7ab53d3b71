import { createServer, type InlineConfig, type Plugin } from "vite";

/**
 * Adds `pages.json` to the build: the address of every route, like `/queries/$queryId`. From it the api knows which
 * addresses are pages, and answers all others with 404, without a second list to keep.
 */
export const pagesManifest = (config: Pick<InlineConfig, "define">): Plugin => ({
  name: "pages-manifest",
  apply: "build",
  async generateBundle() {
    const source = JSON.stringify(await readAddresses(config));
    this.emitFile({ type: "asset", fileName: "pages.json", source });
  },
});

/** Loads the router as a server would, without a browser, and asks it for its addresses. */
async function readAddresses(config: Pick<InlineConfig, "define">): Promise<string[]> {
  const server = await createServer({
    ...config,
    configFile: false,
    appType: "custom",
    logLevel: "error",
    optimizeDeps: { noDiscovery: true },
    server: { middlewareMode: true, ws: false, watch: null },
  });
  try {
    const { router } = await server.ssrLoadModule("/src/app/router.tsx");
    return Object.keys(router.routesByPath).sort();
  } finally {
    await server.close();
  }
}
