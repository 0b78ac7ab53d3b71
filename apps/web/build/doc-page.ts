import { escapeText, type RenderedDoc } from "./render-doc.ts";

interface PageOptions {
  docs: RenderedDoc[];
  stylesheet: string;
}

/** The HTML page of a document, with a list of all documents. */
export function docPage(doc: RenderedDoc, options: PageOptions): string {
  return page(doc.title, `<article class="doc">${doc.html}</article>`, { ...options, current: doc.address });
}

/** The start page of the docs: the shelves, the guide first. */
export function docsIndex(options: PageOptions): string {
  const shelves = shelvesOf(options.docs).map(
    ({ title, description, docs }) => `<h2>${title}</h2><p>${description}</p>${list(docs)}`,
  );
  return page("Docs", `<article class="doc"><h1>Docs</h1>${shelves.join("")}</article>`, options);
}

/** A group of documents for one kind of reader. */
interface Shelf {
  title: string;
  description: string;
  /** In their order. Without names, it holds all other documents. */
  names?: readonly string[];
}

const shelves: readonly Shelf[] = [
  {
    title: "For everybody",
    description: "How to write queries, share charts and be told of changes: ten minutes.",
    names: ["guide"],
  },
  {
    title: "For operators",
    description: "How to install Querybell and keep it running.",
    names: ["readme", "deploy", "operating", "security", "scale", "performance"],
  },
  {
    title: "For developers",
    description: "How to call Querybell from programs, and how it is built.",
  },
];

/** The shelves with their documents. Of the documents in a folder, only the README is listed. */
function shelvesOf(docs: RenderedDoc[]): (Omit<Shelf, "names"> & { docs: RenderedDoc[] })[] {
  const atTheTop = docs.filter(({ address }) => /^\/docs\/([^/]+|.+\/readme)$/.test(address));
  const nameOf = ({ address }: RenderedDoc) => address.slice("/docs/".length);
  const placed = new Set(shelves.flatMap(({ names = [] }) => names));
  return shelves.map(({ names, ...shelf }) => ({
    ...shelf,
    docs: names
      ? names.flatMap((name) => atTheTop.filter((doc) => nameOf(doc) === name))
      : atTheTop.filter((doc) => !placed.has(nameOf(doc))),
  }));
}

const shelfLists = (docs: RenderedDoc[], current?: string): string =>
  shelvesOf(docs)
    .map((shelf) => `<p class="shelf">${shelf.title}</p>${list(shelf.docs, current)}`)
    .join("");

const list = (docs: RenderedDoc[], current?: string): string => {
  const items = docs.map(({ address, title }) => {
    const here = address === current ? ' aria-current="page"' : "";
    return `<li><a href="${address}"${here}>${escapeText(title)}</a></li>`;
  });
  return `<ul>${items.join("")}</ul>`;
};

const page = (
  title: string,
  main: string,
  { docs, stylesheet, current }: PageOptions & { current?: string },
) =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeText(title)} · Querybell</title>
    <link rel="icon" href="/favicon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/${stylesheet}">
  </head>
  <body>
    <a class="skip" href="#page">Skip to content</a>
    <header class="top">
      <a class="brand" href="/"><img src="/favicon.svg" alt="" width="32" height="32">Querybell</a>
      <nav aria-label="Main"><a href="/docs/">Docs</a></nav>
    </header>
    <div class="docs">
      <nav aria-label="Docs">${shelfLists(docs, current)}</nav>
      <main id="page" tabindex="-1">${main}</main>
    </div>
  </body>
</html>
`;
