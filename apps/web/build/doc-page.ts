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
  /** In their order. */
  names: readonly string[];
}

/** Every document is on one shelf, except those in a folder: of these, only the README is. */
const shelves: readonly Shelf[] = [
  {
    title: "For everybody",
    description: "How to write queries, share charts and be told of changes. The guide takes ten minutes.",
    names: [
      "guide",
      "queries",
      "dashboards",
      "uploads",
      "automations",
      "conditions",
      "library",
      "public-links",
    ],
  },
  {
    title: "For admins",
    description: "How to set up an organization: people, rights, databases, messages.",
    names: ["access", "sign-in", "engines", "destinations", "recipients", "embedding", "privacy"],
  },
  {
    title: "For operators",
    description: "How to install Querybell and keep it running.",
    names: [
      "readme",
      "deploy",
      "operating",
      "high-availability",
      "shared-files",
      "security",
      "scale",
      "performance",
    ],
  },
  {
    title: "For developers",
    description: "How to call Querybell from programs, and how it is built.",
    names: [
      "api",
      "reference/readme",
      "webhooks",
      "agents",
      "rest",
      "summaries",
      "architecture",
      "contributing",
      "testing",
      "decisions/readme",
    ],
  },
];

/** The shelves with their documents. Fails if a document is on none, so that no page is missing in the lists. */
function shelvesOf(docs: RenderedDoc[]): (Omit<Shelf, "names"> & { docs: RenderedDoc[] })[] {
  const listed = new Map(
    docs
      .map((doc) => [doc.address.slice("/docs/".length), doc] as const)
      .filter(([name]) => /^([^/]+|.+\/readme)$/.test(name)),
  );
  const filled = shelves.map(({ names, ...shelf }) => ({
    ...shelf,
    docs: names.map((name) => {
      const doc = listed.get(name);
      if (!doc) throw new Error(`There is no document ${name}: remove it from the shelves in doc-page.ts.`);
      listed.delete(name);
      return doc;
    }),
  }));
  const [missing] = listed.values();
  if (missing) throw new Error(`${missing.file} is on no shelf: add it to one in doc-page.ts.`);
  return filled;
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
