import { describe, expect, test } from "vitest";
import { columnLabel, problemOfName, quoteName } from "./safe-name.ts";

describe("a name is not published", () => {
  test.each([
    ...[
      "evil.com",
      "evil。com",
      "evil․com",
      "evil．com",
      "evil｡com",
      "evil۔com",
      "evil⸱com",
      "evil•com",
      "💩.la",
      "evil-.com",
      "localhost",
      "localhost:3000",
      "intranet:8080/x",
      "2001:db8:0:0:0:0:0:1",
      "skype:joe",
      "magnet:?xt=1",
      "see evil.example now",
      "еvil.рф",
      "münchen.de",
    ],
    ...[
      "//evil/x",
      "\\\\evil\\x",
      "https://x",
      "HTTPS：／／x",
      "javascript:alert(1)",
      "mailto:a",
      "tel:5",
      "www.x.y",
    ],
    ...[
      "evil%2ecom",
      "evil%252ecom",
      "%2f%2fevil",
      "evil[.]com",
      "evil(dot)com",
      "evil dot com",
      "evil . com",
      "evil .com",
    ],
    ...[
      "xn--e1awd7f",
      "10.0.0.1",
      "[::1]",
      "a@b",
      "@channel",
      "<b>x</b>",
      "<!here>",
      "![x](y)",
      "[x](/y)",
      "&#46;",
      "/q/1",
    ],
    ...[
      "a\u200bb",
      "a\u202eb",
      "a\nb",
      "a\u{e0041}b",
      "a\u2800b",
      "a\u2003b",
      "a\u200db",
      "e\u0301\u0302\u0303",
    ],
    ...["Frаnce", "Αpple", "", "  ", "x".repeat(61), "\ud800"],
  ])("%j", (name) => {
    expect(problemOfName(name)).toBeDefined();
  });
});

test.each([
  ...[
    "France",
    "Côte d'Ivoire",
    "No. 7",
    "A & B",
    "日本",
    "Москва",
    "ελληνικά",
    "3.5 %",
    "12:30",
    "It is up. It stays.",
  ],
  ...["Data: EU", "a/b", "50 % off!", "👩‍👩‍👧", "v1.2", "{{count}}", "x".repeat(60)],
])("a name is published as it is: %s", (name) => {
  expect(quoteName(name)).toBe(`"${name}"`);
});

test("quotation marks in a name cannot end its quotation", () => {
  expect(quoteName('27" “x” «y» \\')).toBe('"27\\" \\“x\\” \\«y\\» \\\\"');
});

test.each([
  ["revenue", "revenue"],
  ["unit_price", "unit price"],
  ["Umsatz", "Umsatz"],
  ["is_up", '"is_up"'],
  ["revenue 2", '"revenue 2"'],
  ["выручка", '"выручка"'],
  ["France was 500. Revenue", '"France was 500. Revenue"'],
])("the column %s is written as %s", (name, label) => {
  expect(columnLabel(name)).toBe(label);
});
