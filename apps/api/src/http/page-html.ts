import { randomBytes } from "node:crypto";
import type { PageRead } from "./page-data.ts";

/** The placeholder of the nonce in the built page. */
const noncePlaceholder = "__CSP_NONCE__";

interface PageParts {
  /** Further scripts and styles of the page, which the browser preloads. */
  files: readonly string[];
  /** Fetched as early, but a script of these is parsed only when it is imported: the first paint does not wait for it. */
  laterFiles: readonly string[];
  reads: readonly PageRead[];
}

/** Writes the HTML of a page: with a new nonce, preloads, and the data that the page shows first. */
export const createPageWriter = (template: string) => {
  const [beforeEnd = "", afterEnd = ""] = template.split("</head>");
  return ({ files, laterFiles, reads }: PageParts): { html: string; nonce: string } => {
    const nonce = randomBytes(16).toString("base64url");
    const links = [...files.map(linkTo), ...laterFiles.map(prefetch)].join("");
    const head = `${beforeEnd.replaceAll(noncePlaceholder, nonce)}${links}${dataBlock(reads)}`;
    return { html: `${head}</head>${afterEnd.replaceAll(noncePlaceholder, nonce)}`, nonce };
  };
};

const linkTo = (file: string): string =>
  file.endsWith(".css")
    ? `<link rel="stylesheet" crossorigin href="/${file}">`
    : `<link rel="modulepreload" crossorigin href="/${file}">`;

// Not preloaded: a page that turns out not to need it, like a permalink without a chart, would log a warning.
const prefetch = (file: string): string =>
  `<link rel="prefetch" as="${file.endsWith(".css") ? "style" : "script"}" crossorigin href="/${file}">`;

/**
 * A data block: a script element that browsers never run, so the content security policy, which allows no inline script,
 * does not concern it. Without `<`, nothing in the data can end the element.
 */
const dataBlock = (reads: readonly PageRead[]): string =>
  reads.length === 0
    ? ""
    : `<script type="application/json" id="page-data">${JSON.stringify(reads).replaceAll("<", "\\u003c")}</script>`;
