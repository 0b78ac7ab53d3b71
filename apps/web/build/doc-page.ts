import { escapeText, type RenderedDoc } from "./render-doc.ts";

interface PageOptions {
  docs: RenderedDoc[];
  stylesheet: string;
}

/** The HTML page of a document, with a list of all documents. */
export function docPage(doc: RenderedDoc, options: PageOptions): string {
  return page(doc.title, `<article class="doc">${doc.html}</article>`, { ...options, current: doc.address });
}

/** The start page of the docs. */
export function docsIndex(options: PageOptions): string {
  const { docs } = options;
  const body =
    docs.length > 0
      ? `<p>Everything that is written down about Querybell:</p>${list(docs)}`
      : "<p>Nothing is written down yet.</p>";
  return page("Docs", `<article class="doc"><h1>Docs</h1>${body}</article>`, options);
}

/** Whether the list shows it. Of the documents in a folder, only the README is listed. */
const isAtTheTop = ({ address }: RenderedDoc): boolean => /^\/docs\/([^/]+|.+\/readme)$/.test(address);

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
      <nav aria-label="Docs">${list(docs.filter(isAtTheTop), current)}</nav>
      <main id="page" tabindex="-1">${main}</main>
    </div>
  </body>
</html>
`;
