import { posix } from "node:path";
import { Marked, type Tokens } from "marked";
import type { Doc } from "./collect-docs.ts";

export interface RenderedDoc extends Doc {
  /** The first heading, as plain text. */
  title: string;
  html: string;
  /** The anchors of the page. */
  anchors: Set<string>;
  /** Every link to another place in the repository, as written. */
  links: { written: string; file: string; anchor: string }[];
}

/** A document as HTML, with links to other documents pointing to their pages. */
export function renderDoc(doc: Doc, all: Doc[]): RenderedDoc {
  const marked = new Marked();
  const slug = createSlugger();
  const rendered: RenderedDoc = { ...doc, title: doc.file, html: "", anchors: new Set(), links: [] };
  let titled = false;

  marked.use({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const inner = this.parser.parseInline(tokens);
        const text = this.parser.parseInline(tokens, this.parser.textRenderer);
        const id = slug(text);
        rendered.anchors.add(id);
        if (!titled) {
          rendered.title = text;
          titled = true;
        }
        return `<h${depth} id="${id}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return `<a href="${escapeAttribute(href)}">${inner}</a>`;
        const target = resolveLink(doc.file, href);
        rendered.links.push({ written: href, ...target });
        const page = all.find(({ file }) => file === target.file);
        // A file of the repository that is no document has no page here.
        if (!page) return `<span class="file">${inner}</span>`;
        const anchor = target.anchor && `#${target.anchor}`;
        return `<a href="${escapeAttribute(page.address + anchor)}">${inner}</a>`;
      },
      // Pictures lie in docs/images, and beside the pages under the same name.
      image({ href, text }: Tokens.Image) {
        const target = resolveLink(doc.file, href);
        rendered.links.push({ written: href, ...target });
        const address = `/docs/${posix.relative("docs", target.file)}`;
        return `<img src="${escapeAttribute(address)}" alt="${escapeAttribute(text)}" loading="lazy" />`;
      },
      // Wide content scrolls by itself; a tab stop lets the keyboard scroll it too.
      code({ text }: Tokens.Code) {
        return `<pre tabindex="0"><code>${escapeText(text)}</code></pre>\n`;
      },
    },
    hooks: {
      postprocess: (html) =>
        html
          .replaceAll("<table>", '<div class="table" role="region" aria-label="Table" tabindex="0"><table>')
          .replaceAll("</table>", "</table></div>"),
    },
  });
  rendered.html = marked.parse(doc.markdown, { async: false, gfm: true });
  return rendered;
}

/** Makes a heading's anchor as code hosts do, so that links into a document work here as they do there. */
function createSlugger(): (text: string) => string {
  const used = new Map<string, number>();
  return (text) => {
    const plain = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-");
    const times = used.get(plain) ?? 0;
    used.set(plain, times + 1);
    return times === 0 ? plain : `${plain}-${times}`;
  };
}

function resolveLink(from: string, href: string): { file: string; anchor: string } {
  const [path = "", anchor = ""] = href.split("#");
  const file =
    path === "" ? from : posix.normalize(posix.join(posix.dirname(from), decodeURIComponent(path)));
  return { file, anchor };
}

export const escapeText = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const escapeAttribute = (text: string): string => escapeText(text).replaceAll('"', "&quot;");
