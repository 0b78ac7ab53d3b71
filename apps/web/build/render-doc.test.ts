import { describe, expect, test } from "vitest";
import type { Doc } from "./collect-docs.ts";
import { renderDoc } from "./render-doc.ts";

const doc = (file: string, address: string, markdown = ""): Doc => ({ file, address, markdown });
const operating = doc("docs/operating.md", "/docs/operating");
const decision = doc("docs/decisions/0001-cursors.md", "/docs/decisions/0001-cursors");

const render = (markdown: string, file = "README.md") => {
  const one = doc(file, "/docs/this", markdown);
  return renderDoc(one, [one, operating, decision]);
};

describe("a document", () => {
  test("takes its title from its first heading, without the markup", () => {
    expect(render("# How to `start` & *stop*\n\n## Later").title).toBe("How to start & stop");
  });

  test("links to another document's page, wherever either lies", () => {
    expect(render("[run it](docs/operating.md)").html).toContain('<a href="/docs/operating">run it</a>');
    const { html } = render("[run it](../operating.md#backup)", "docs/decisions/0002-other.md");
    expect(html).toContain('<a href="/docs/operating#backup">run it</a>');
  });

  test("shows the pictures of docs/images, wherever it lies", () => {
    const shown = '<img src="/docs/images/query.webp" alt="A query" loading="lazy" />';
    expect(render("![A query](docs/images/query.webp)").html).toContain(shown);
    expect(render("![A query](images/query.webp)", "docs/queries.md").html).toContain(shown);
    expect(render("![A query](images/query.webp)", "docs/queries.md").links).toEqual([
      { written: "images/query.webp", file: "docs/images/query.webp", anchor: "" },
    ]);
  });

  test("links into itself by the anchors that code hosts give", () => {
    const { html, anchors } = render("## Who may import whom?\n\n## Twice\n\n## Twice\n\n[see](#twice-1)");
    expect([...anchors]).toEqual(["who-may-import-whom", "twice", "twice-1"]);
    expect(html).toContain('<a href="/docs/this#twice-1">see</a>');
  });

  test("leaves links to the outside alone", () => {
    expect(render("[spec](https://example.com/?a=1&b=2)").html).toContain(
      '<a href="https://example.com/?a=1&amp;b=2">spec</a>',
    );
  });

  test("shows a file that has no page as text instead of a link that leads nowhere", () => {
    expect(render("[main.ts](apps/api/src/main.ts)").html).not.toContain("<a ");
  });

  test("keeps a drawing made of characters as it is", () => {
    const drawing = "+---+   <--  api & web\n|   |";
    expect(render(`\`\`\`\n${drawing}\n\`\`\``).html).toContain(
      "+---+   &lt;--  api &amp; web\n|   |</code></pre>",
    );
  });

  test("lets wide tables scroll, with the keyboard too", () => {
    const { html } = render("| a | b |\n|---|---|\n| 1 | 2 |");
    expect(html).toMatch(/<div class="table"[^>]*tabindex="0"><table>[\s\S]*<\/table><\/div>/);
  });
});
