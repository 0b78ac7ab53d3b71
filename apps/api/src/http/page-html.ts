import { randomBytes } from "node:crypto";
import type { PageRead } from "./page-data.ts";

/** What the web app's build writes where the nonce of an answer belongs. */
const noncePlaceholder = "__CSP_NONCE__";

interface PageParts {
  /** Scripts and styles that the page needs; the browser fetches them while it reads those of every page. */
  files: readonly string[];
  reads: readonly PageRead[];
}

/** Writes the web app's page: with a nonce of its own, what the address needs, and what it shows first. */
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
