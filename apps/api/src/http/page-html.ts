import { randomBytes } from "node:crypto";
import type { PageRead } from "./page-data.ts";

/** The placeholder of the nonce in the built page. */
const noncePlaceholder = "__CSP_NONCE__";

interface PageParts {
  /** Further scripts and styles of the page, which the browser preloads. */
  files: readonly string[];
  reads: readonly PageRead[];
}

/** Writes the HTML of a page: with a new nonce, preloads, and the data that the page shows first. */
export const createPageWriter = (template: string) => {
  const [beforeEnd = "", afterEnd = ""] = template.split("</head>");
  return ({ files, reads }: PageParts): { html: string; nonce: string } => {
    const nonce = randomBytes(16).toString("base64url");
    const head = `${beforeEnd.replaceAll(noncePlaceholder, nonce)}${files.map(linkTo).join("")}${dataBlock(reads)}`;
    return { html: `${head}</head>${afterEnd.replaceAll(noncePlaceholder, nonce)}`, nonce };
  };
};

const linkTo = (file: string): string =>
  file.endsWith(".css")
    ? `<link rel="stylesheet" crossorigin href="/${file}">`
    : `<link rel="modulepreload" crossorigin href="/${file}">`;

/**
 * A data block: a script element that browsers never run, so the content security policy, which allows no inline script,
 * does not concern it. Without `<`, nothing in the data can end the element.
 */
const dataBlock = (reads: readonly PageRead[]): string =>
  reads.length === 0
    ? ""
    : `<script type="application/json" id="page-data">${JSON.stringify(reads).replaceAll("<", "\\u003c")}</script>`;
