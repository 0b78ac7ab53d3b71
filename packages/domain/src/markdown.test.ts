import { expect, test } from "vitest";
import { parseMarkdown } from "./markdown.ts";

const plain = (text: string) => [{ kind: "text", text }];

test("reads headings, lists, quotes, code and paragraphs", () => {
  const text =
    "# Sales\n\nOf *all* **shops**\nby `day`.\n\n- one\n- two\n\n1. first\n\n> said\n> so\n\n```\na < b\n```\n---";
  expect(parseMarkdown(text)).toEqual([
    { kind: "heading", level: 1, parts: plain("Sales") },
    {
      kind: "paragraph",
      parts: [
        { kind: "text", text: "Of " },
        { kind: "emphasis", parts: plain("all") },
        { kind: "text", text: " " },
        { kind: "strong", parts: plain("shops") },
        { kind: "text", text: "\nby " },
        { kind: "code", text: "day" },
        { kind: "text", text: "." },
      ],
    },
    { kind: "list", isOrdered: false, items: [plain("one"), plain("two")] },
    { kind: "list", isOrdered: true, items: [plain("first")] },
    { kind: "quote", parts: plain("said so") },
    { kind: "code", text: "a < b" },
    { kind: "rule" },
  ]);
});

test("links lead to the web, to mail addresses and to pages of the app", () => {
  for (const href of ["https://example.test/a?b=c", "mailto:a@example.test", "/q/abc"]) {
    expect(parseMarkdown(`[here](${href})`)).toEqual([
      { kind: "paragraph", parts: [{ kind: "link", href, parts: plain("here") }] },
    ]);
  }
});

test.each([
  "[x](javascript:alert(1))",
  "[x](data:text/html,hi)",
  "[x](//evil.test)",
  "[x](/\\evil.test)",
  "[x](JaVaScRiPt:alert`1`)",
  "<img src=x onerror=alert(1)>",
  "![x](https://example.test/pixel.png",
])("%s is text", (text) => {
  const kinds = JSON.stringify(parseMarkdown(text));
  expect(kinds).not.toContain('"link"');
});

test("signs without their end, and escaped ones, are text", () => {
  expect(parseMarkdown("2 * 3 ** 4 _ [a] snake_case_name \\*x\\*")).toEqual([
    { kind: "paragraph", parts: plain("2 * 3 ** 4 _ [a] snake_case_name *x*") },
  ]);
});

test("a hostile text takes no longer than its length", () => {
  const text = "[**_`".repeat(2_000);
  expect(parseMarkdown(text)).toHaveLength(1);
});
