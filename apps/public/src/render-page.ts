import { createHash } from "node:crypto";
import {
  type PublishedContent,
  type PublishedTile,
  pictureNames,
  previewName,
} from "@querybell/public-pages";
import { frameScript } from "./frame-scripts.ts";
import { type Html, html } from "./html.ts";
import { renderFilters, type Theme, toSearch } from "./render-filters.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { style } from "./style.ts";

/** The look of a page in a frame of another site. */
export interface FrameLook {
  /** The sites that may show it. */
  origins: readonly string[];
  /** Undefined: as the visitor's system. */
  theme: Theme | undefined;
  state: "waiting" | "ready" | "failed";
}

export interface RenderedPage {
  text: string;
  contentSecurityPolicy: string;
}

interface PageParts {
  title: string;
  head?: Html;
  /** The places of the tiles. Allowed by its hash: everything else is in the style sheet. */
  places?: string;
  bodyClass?: string;
  body: Html;
  frame?: FrameLook;
}

/** Without anything from other sites. Only pages in frames have a script, which talks with the page around them. */
export function render({ title, head, places, bodyClass = "", body, frame }: PageParts): RenderedPage {
  const { text } = html`<!doctype html>
<html lang="en"${frame && frameAttributes(frame)}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow, noarchive">
<title>${title}</title>
<link rel="stylesheet" href="${style.path}">
<link rel="icon" href="data:,">
${frame && html`<script src="${frameScript.path}" defer></script>`}
${head}`;
  const placed = places === undefined ? "" : `<style>${places}</style>\n`;
  const rest = html`</head>
<body class="${bodyClass}">
${body}
</body>
</html>
`;
  const hash =
    places === undefined ? "" : ` 'sha256-${createHash("sha256").update(places).digest("base64")}'`;
  return {
    text: `${text}\n${placed}${rest.text}`,
    contentSecurityPolicy: `default-src 'none'; img-src 'self' data:; style-src 'self'${hash}; ${frame ? "script-src 'self'; " : ""}form-action 'self'; base-uri 'none'; frame-ancestors ${frame?.origins.join(" ") ?? "'none'"}`,
  };
}

const frameAttributes = ({ origins, theme, state }: FrameLook): Html =>
  html` data-origins="${origins.join(" ")}" data-state="${state}"${theme && html` data-theme="${theme}"`}`;

/** The same for an address that never existed, and for one that has ended. */
export const notFoundPage = render({
  title: "Not available",
  body: html`<main class="card"><h1>This page is not available</h1>
<p>The link may have expired or been revoked. Ask the person who sent it to you.</p></main>`,
});

/** For a link that can be opened, with values that are not published, or that have no results yet. */
export const noPage = (path: string, problem: "not published" | "not made"): RenderedPage =>
  render({
    title: "Nothing to show",
    body: html`<main class="card"><h1>Nothing to show</h1>
<p role="status">${
      problem === "not made"
        ? "There are no results for these values yet. They may be being computed: this page looks again by itself."
        : "These values are not published."
    }</p>
<p><a href="${path}">Go to the first values</a></p></main>`,
  });

export const passwordPage = (address: string, problem: string | undefined): RenderedPage =>
  render({
    title: "Password needed",
    body: html`<main class="card"><h1>This page has a password</h1>
<form method="post" action="${address}">
<label for="password">Password</label>
<input id="password" name="password" type="password" required autofocus autocomplete="current-password" maxlength="200"${problem === undefined ? "" : html` aria-invalid="true" aria-describedby="problem"`}>
${problem === undefined ? "" : html`<p class="problem" id="problem" role="alert">${problem}</p>`}
<button type="submit">Open</button>
</form></main>`,
  });

interface PageToRender {
  content: PublishedContent;
  /** The references that must not be shown any more. */
  hidden: ReadonlySet<string>;
  /** The path of the link: `/p/<token>`. */
  path: string;
  /** Where the pictures are: their names are added. */
  files: string;
  /** What the visitor chose to see this page. */
  given: Readonly<Record<string, string>>;
  baseUrl: string;
  tab: PublishedContent["tabs"][number];
  hasPassword: boolean;
}

export function renderPage(page: PageToRender): RenderedPage {
  const { content, hidden, path, files, given, baseUrl, tab, hasPassword } = page;
  const { title, description, organization, previewOf, filters = [] } = content;
  const view = { theme: undefined, tab: content.tabs.length > 1 ? tab.id : undefined, given };
  const hasPreview = previewOf !== null && hidden.size === 0 && !hasPassword;
  return render({
    title,
    head: html`<meta property="og:type" content="website">
<meta property="og:title" content="${title}">
<meta property="og:site_name" content="${organization}">
<meta property="og:url" content="${baseUrl}${path}">
${description === null ? "" : html`<meta property="og:description" content="${description.slice(0, 300)}">\n`}${
  hasPreview
    ? html`<meta property="og:image" content="${baseUrl}${path}/${previewName}">
<meta property="og:image:width" content="1200">
<meta property="og:image:height" content="630">
<meta name="twitter:card" content="summary_large_image">`
    : ""
}`,
    ...renderBody(content, {
      ...{ tab, hidden, files },
      toTab: (id) => `${path}${toSearch({ ...view, tab: id })}`,
      ...(filters.length > 0 && { form: renderFilters(filters, { path, view }) }),
      footer: html`<footer>Published by ${organization} with Querybell.</footer>`,
    }),
  });
}

interface BodyParts {
  tab: PublishedContent["tabs"][number];
  /** The references that must not be shown any more. */
  hidden: ReadonlySet<string>;
  /** Where the pictures are: their names are added. */
  files: string;
  /** The address of a tab. */
  toTab: (id: string) => string;
  theme?: Theme | undefined;
  /** Below the heading. */
  form?: Html;
  footer?: Html;
}

/** One tab of a page. */
export function renderBody(
  { title, description, asOf, tabs, kind }: PublishedContent,
  { tab, hidden, files, toTab, theme, form, footer }: BodyParts,
): Pick<PageParts, "places" | "bodyClass" | "body"> {
  let number = 0;
  const numbers = new Map(tabs.flatMap(({ tiles }) => tiles).map((tile) => [tile, number++]));
  // In the order in which they are read: a phone and a screen reader have no other.
  const inOrder = tab.tiles.toSorted((a, b) => a.y - b.y || a.x - b.x);
  const tiles = inOrder.map((tile) => ({
    tile: "referenceId" in tile && hidden.has(tile.referenceId) ? toGone(tile) : tile,
    number: numbers.get(tile) ?? 0,
  }));
  return {
    places: kind === "dashboard" ? toPlaces(tiles) : "",
    bodyClass: kind,
    body: html`<header><h1>${title}</h1>
${description === null ? "" : html`<p>${description}</p>`}
${asOf === null ? "" : html`<p>As of ${moment(asOf)}</p>`}</header>
${form}${
  tabs.length > 1
    ? html`<nav aria-label="Tabs">${tabs.map(
        ({ id, title }) =>
          html`<a href="${toTab(id)}"${id === tab.id ? html` aria-current="page"` : ""}>${title}</a>`,
      )}</nav>`
    : ""
}
<main class="grid">
${tiles.map((one) => renderTile(one, { files, asOf, theme }))}
</main>
${footer}`,
  };
}

interface NumberedTile {
  tile: PublishedTile;
  /** Among all tiles of the page. */
  number: number;
}

/** On wide screens. A phone shows the tiles one below the other. */
const toPlaces = (tiles: readonly NumberedTile[]): string =>
  `@media (min-width: 48.01em) {${tiles
    .map(
      ({ tile: { x, y, w, h }, number }) =>
        `#tile-${number}{grid-area:${y + 1}/${x + 1}/span ${h}/span ${w}}`,
    )
    .join("")}}`;

const toGone = ({ id, x, y, w, h }: PublishedTile): PublishedTile => ({
  ...{ kind: "empty", id, x, y, w, h },
  ...{ title: null, reason: "This chart is not public any more." },
});

interface TilePage {
  files: string;
  asOf: string | null;
  theme: Theme | undefined;
}

function renderTile({ tile, number }: NumberedTile, { files, asOf, theme }: TilePage): Html {
  const id = `tile-${number}`;
  switch (tile.kind) {
    case "text":
      return html`<section class="tile plain text" id="${id}" aria-label="Text" tabindex="0">${renderMarkdown(tile.text)}</section>\n`;
    case "empty":
      return html`<section class="tile" id="${id}" aria-label="${tile.title ?? "Chart"}">${
        tile.title === null ? "" : html`<h2>${tile.title}</h2>`
      }<p class="empty">${tile.reason}</p></section>\n`;
    case "picture":
      return html`<section class="tile" id="${id}" aria-label="${tile.title}">${picture(tile, { files, number, theme })}${notes(tile, asOf)}</section>\n`;
    case "table":
      return html`<section class="tile" id="${id}" aria-label="${tile.title}"><h2>${tile.title}</h2>
<div class="rows" tabindex="0" role="group" aria-label="Rows of ${tile.title}"><table><thead><tr>${tile.columns.map(
        ({ title, isNumber }) =>
          html`<th scope="col"${isNumber ? html` class="number"` : ""}>${title === "" ? "(no name)" : title}</th>`,
      )}</tr></thead>
<tbody>${tile.rows.map(
        (row) =>
          html`<tr>${row.map((cell, at) => html`<td${tile.columns[at]?.isNumber ? html` class="number"` : ""}>${cell}</td>`)}</tr>`,
      )}</tbody></table></div>${notes(tile, asOf)}</section>\n`;
  }
}

function picture(
  { description }: Extract<PublishedTile, { kind: "picture" }>,
  { files, number, theme }: { files: string; number: number; theme: Theme | undefined },
): Html {
  const names = pictureNames(number).filter(({ scheme }) => theme === undefined || scheme === theme);
  const sources = names.map(({ width, scheme, name }) => {
    const conditions = [
      ...(width === "narrow" ? ["(max-width: 48em)"] : []),
      ...(scheme === "dark" && theme === undefined ? ["(prefers-color-scheme: dark)"] : []),
    ];
    return { src: `${files}${name}`, conditions };
  });
  // The first that fits is taken, so those with more conditions come first.
  const sorted = sources.toSorted((a, b) => b.conditions.length - a.conditions.length);
  return html`<picture>${sorted
    .filter(({ conditions }) => conditions.length > 0)
    .map(
      ({ src, conditions }) => html`<source media="${conditions.join(" and ")}" srcset="${src}">`,
    )}<img src="${sorted.at(-1)?.src ?? ""}" alt="${description}"></picture>`;
}

function notes(
  { at, notes: sentences }: { at: string; notes: string[] },
  asOf: string | null,
): Html | string {
  const all = [
    ...(asOf === null ? [html`As of ${moment(at)}.`] : []),
    ...sentences.map((text) => html`${text}`),
  ];
  return all.length === 0
    ? ""
    : html`<p class="note">${all.flatMap((part, at) => (at === 0 ? [part] : [" ", part]))}</p>`;
}

const times = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });

const moment = (at: string): Html => html`<time datetime="${at}">${times.format(new Date(at))} UTC</time>`;
