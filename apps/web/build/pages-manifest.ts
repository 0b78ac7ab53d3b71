import { createServer, type InlineConfig, type Plugin, type Rolldown, type ViteDevServer } from "vite";
import { z } from "zod";

interface Page {
  address: string;
  /** Run before the app. */
  earlyFiles: string[];
  files: string[];
  laterFiles: string[];
}

/** The fields of a route that are read here. */
const Routes = z.record(
  z.string(),
  z.object({
    options: z.object({
      staticData: z
        .object({
          earlyScripts: z.string().array(),
          scripts: z.string().array(),
          laterScripts: z.string().array(),
        })
        .partial()
        .optional(),
    }),
  }),
);

/**
 * Adds `pages.json` to the build: the address of every route, like `/queries/$queryId`, and the files that its page needs
 * beyond those of every page: for its first paint, and later. From it the api knows which addresses are pages, answers
 * all others with 404, and lets the browser fetch a page's files at once.
 */
export const pagesManifest = (config: Pick<InlineConfig, "define">): Plugin => ({
  name: "pages-manifest",
  apply: "build",
  async generateBundle(_options, bundle) {
    const files = createFileFinder(bundle);
    const pages: Page[] = [];
    for (const [address, { options }] of Object.entries(await readRoutesAlone(config))) {
      const { earlyScripts = [], scripts = [], laterScripts = [] } = options.staticData ?? {};
      const earlyFiles = earlyScripts.map(files.of);
      const ofFirstPaint = files.withImports(scripts);
      const laterFiles = files.withImports(laterScripts).filter((file) => !ofFirstPaint.includes(file));
      pages.push({ address, earlyFiles, files: ofFirstPaint, laterFiles });
    }
    const source = JSON.stringify(pages.sort((a, b) => (a.address < b.address ? -1 : 1)));
    this.emitFile({ type: "asset", fileName: "pages.json", source });
  },
});

/** Loads the router without a browser and reads its routes, except the one of addresses without a page. */
export async function readRoutes(
  server: Pick<ViteDevServer, "ssrLoadModule">,
): Promise<z.infer<typeof Routes>> {
  const { router } = await server.ssrLoadModule("/src/app/router.tsx");
  const { "/$": _unknown, ...pages } = Routes.parse(router.routesByPath);
  return pages;
}

/** The same, with a server that does nothing else. */
async function readRoutesAlone(config: Pick<InlineConfig, "define">): Promise<z.infer<typeof Routes>> {
  const server = await createServer({
    ...config,
    configFile: false,
    appType: "custom",
    logLevel: "error",
    optimizeDeps: { noDiscovery: true },
    server: { middlewareMode: true, ws: false, watch: null },
  });
  try {
    return await readRoutes(server);
  } finally {
    await server.close();
  }
}

/** Finds the files of scripts: each one's own, and together with those of their imports, except those that every page loads. */
function createFileFinder(bundle: Rolldown.OutputBundle) {
  const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
  const add = (found: Set<string>, file: string) => {
    const chunk = chunks.find(({ fileName }) => fileName === file);
    if (!chunk || found.has(file)) return;
    found.add(file);
    for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
    for (const imported of chunk.imports) add(found, imported);
  };
  const ofEveryPage = new Set<string>();
  for (const { facadeModuleId, fileName } of chunks)
    if (facadeModuleId?.endsWith("/index.html")) add(ofEveryPage, fileName);
  const of = (script: string): string => {
    const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/${script}`)));
    if (!chunk) throw new Error(`A route names the script ${script}, which is no chunk of the build.`);
    return chunk.fileName;
  };
  const withImports = (scripts: readonly string[]): string[] => {
    const found = new Set<string>();
    for (const script of scripts) add(found, of(script));
    return [...found].filter((file) => !ofEveryPage.has(file));
  };
  return { of, withImports };
}
