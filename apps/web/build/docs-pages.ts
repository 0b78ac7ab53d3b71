import { readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { Connect, Plugin } from "vite";
import { collectDocs, collectPictures } from "./collect-docs.ts";
import { docPage, docsIndex } from "./doc-page.ts";
import { renderDoc } from "./render-doc.ts";

const readStyles = () => readFileSync(new URL("docs.css", import.meta.url), "utf8");

/** Adds the repository's documents as pages without scripts under `/docs/`: to the build, and in development. */
export const docsPages = (repository: string): Plugin => ({
  name: "docs-pages",
  generateBundle() {
    const source = readStyles();
    const stylesheet = this.getFileName(this.emitFile({ type: "asset", name: "docs.css", source }));
    for (const [fileName, source] of renderDocs(repository, stylesheet)) {
      this.emitFile({ type: "asset", fileName, source });
    }
  },
  configureServer({ middlewares }) {
    middlewares.use(serveDocs(repository));
  },
});

/** The pages and their pictures, by file name. */
function renderDocs(repository: string, stylesheet: string): Map<string, string | Uint8Array> {
  const sources = collectDocs(repository);
  const docs = sources.map((doc) => renderDoc(doc, sources));
  return new Map<string, string | Uint8Array>([
    ...collectPictures(repository).map(
      (picture) => [picture, readFileSync(join(repository, picture))] as const,
    ),
    ["docs/index.html", docsIndex({ docs, stylesheet })],
    ...docs.map((doc) => [`${doc.address.slice(1)}.html`, docPage(doc, { docs, stylesheet })] as const),
  ]);
}

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".svg": "image/svg+xml",
  ".webp": "image/webp",
};

/** Renders the documents anew for each request, so that a reload shows what was written. */
const serveDocs =
  (repository: string): Connect.NextHandleFunction =>
  ({ url = "/" }, response, next) => {
    const path = url.split("?")[0]?.slice(1) ?? "";
    if (!path.startsWith("docs/")) return next();
    const stylesheet = "docs/docs.css";
    const files = renderDocs(repository, stylesheet).set(stylesheet, readStyles());
    const name = [path, `${path}.html`, `${path}index.html`].find((file) => files.has(file));
    const content = name && files.get(name);
    if (!content) return next();
    response
      .setHeader("content-type", contentTypes[extname(name)] ?? "application/octet-stream")
      .end(content);
  };
