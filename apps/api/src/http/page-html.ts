import { randomBytes } from "node:crypto";
import type { PageHeading, PageRead } from "./page-data.ts";

/** The placeholder of the nonce in the built page. */
const noncePlaceholder = "__CSP_NONCE__";

/** Where the web app draws the page. */
const rootStart = '<div id="root">';

interface PageParts {
  /** Further scripts and styles of the page, which the browser preloads. */
  files: readonly string[];
  /** Fetched as early, but a script of these is parsed only when it is imported: the first paint does not wait for it. */
  laterFiles: readonly string[];
  reads: readonly PageRead[];
  /** Read while the scripts load; the web app replaces it. */
  heading?: PageHeading | undefined;
}

/** Writes the HTML of a page: with a new nonce, preloads, and the data that the page shows first. */
export const createPageWriter = (template: string) => {
  const [head, top, bottom] = split(template);
  return ({ files, laterFiles, reads, heading }: PageParts): { html: string; nonce: string } => {
    const nonce = randomBytes(16).toString("base64url");
    const withNonce = (text: string) => text.replaceAll(noncePlaceholder, nonce);
    const links = [...files.map(linkTo), ...laterFiles.map(prefetch)].join("");
    const parts = [
      ...[withNonce(head), links, dataBlock(reads)],
      ...[withNonce(top), headingBlock(heading), withNonce(bottom)],
    ];
    return { html: parts.join(""), nonce };
  };
};

/** What stands before the end of the head, before the inside of the root element, and after it. */
function split(template: string): [head: string, top: string, bottom: string] {
  const endOfHead = template.indexOf("</head>");
  const root = template.indexOf(rootStart);
  if (endOfHead === -1 || root === -1) throw new Error(`The built page has no ${rootStart} or no head.`);
  const inside = root + rootStart.length;
  return [template.slice(0, endOfHead), template.slice(endOfHead, inside), template.slice(inside)];
}

/** Busy: it is not yet the page. */
function headingBlock(heading: PageHeading | undefined): string {
  if (!heading) return "";
  const { title, description } = heading;
  const text = description === null ? "" : `<p>${escapeText(description)}</p>`;
  return `<div class="early-heading" aria-busy="true"><h1>${escapeText(title)}</h1>${text}</div>`;
}

const escapeText = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

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
