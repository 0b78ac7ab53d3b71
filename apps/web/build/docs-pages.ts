import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";
import { collectDocs, collectPictures } from "./collect-docs.ts";
import { docPage, docsIndex } from "./doc-page.ts";
import { renderDoc } from "./render-doc.ts";

/** Adds the repository's documents to the build, as pages without scripts under `/docs/`. */
export const docsPages = (repository: string): Plugin => ({
  name: "docs-pages",
  generateBundle() {
    const source = readFileSync(new URL("docs.css", import.meta.url), "utf8");
    const stylesheet = this.getFileName(this.emitFile({ type: "asset", name: "docs.css", source }));
    const sources = collectDocs(repository);
    const docs = sources.map((doc) => renderDoc(doc, sources));
    const emit = (fileName: string, source: string | Uint8Array) =>
      this.emitFile({ type: "asset", fileName, source });
    for (const picture of collectPictures(repository)) {
      emit(picture, readFileSync(join(repository, picture)));
    }
    emit("docs/index.html", docsIndex({ docs, stylesheet }));
    for (const doc of docs) emit(`${doc.address.slice(1)}.html`, docPage(doc, { docs, stylesheet }));
  },
});
