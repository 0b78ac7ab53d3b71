import { type Block, type Inline, parseMarkdown } from "@querybell/domain/markdown";
import { type Html, html } from "./html.ts";

/** The text of a tile. Links to pages of the app are text here: a visitor cannot open them. */
export const renderMarkdown = (text: string): Html[] => parseMarkdown(text).map(renderBlock);

function renderBlock(block: Block): Html {
  switch (block.kind) {
    case "heading":
      // The title of the page is the only heading of the first level.
      return block.level === 1
        ? html`<h2>${renderParts(block.parts)}</h2>`
        : html`<h3>${renderParts(block.parts)}</h3>`;
    case "paragraph":
      return html`<p>${renderParts(block.parts)}</p>`;
    case "quote":
      return html`<blockquote>${renderParts(block.parts)}</blockquote>`;
    case "code":
      return html`<pre>${block.text}</pre>`;
    case "rule":
      return html`<hr>`;
    case "list": {
      const items = block.items.map((parts) => html`<li>${renderParts(parts)}</li>`);
      return block.isOrdered ? html`<ol>${items}</ol>` : html`<ul>${items}</ul>`;
    }
  }
}

const renderParts = (parts: readonly Inline[]): Html[] => parts.map(renderPart);

function renderPart(part: Inline): Html {
  switch (part.kind) {
    case "text":
      return html`${part.text}`;
    case "code":
      return html`<code>${part.text}</code>`;
    case "strong":
      return html`<strong>${renderParts(part.parts)}</strong>`;
    case "emphasis":
      return html`<em>${renderParts(part.parts)}</em>`;
    case "link":
      return part.href.startsWith("/")
        ? html`${renderParts(part.parts)}`
        : html`<a href="${part.href}" rel="noopener noreferrer nofollow">${renderParts(part.parts)}</a>`;
  }
}
