import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { collectDocs, collectPictures } from "./collect-docs.ts";
import { docsIndex } from "./doc-page.ts";
import { renderDoc } from "./render-doc.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const sources = collectDocs(repository);
const docs = sources.map((doc) => renderDoc(doc, sources));
const pictures = collectPictures(repository);

test("every link in the repository's documents leads to something that is there", () => {
  const dead = docs.flatMap(({ file: from, links }) =>
    links
      .filter(({ file, anchor }) => {
        const target = docs.find((doc) => doc.file === file);
        if (target) return anchor !== "" && !target.anchors.has(anchor);
        return !existsSync(join(repository, file));
      })
      .map(({ written }) => `${from}: ${written}`),
  );
  expect(dead).toEqual([]);
});

test("every picture that a document shows is among the files of the pages", () => {
  const shown = docs.flatMap(({ html }) => [...html.matchAll(/<img src="\/(docs\/[^"]*)"/g)]);
  const missing = shown.map(([, file = ""]) => file).filter((file) => !pictures.includes(file));
  expect(shown).not.toEqual([]);
  expect(missing).toEqual([]);
});

test("every document has its own address", () => {
  const addresses = docs.map(({ address }) => address);
  expect(new Set(addresses).size).toBe(addresses.length);
});

test("the start page of the docs lists every document outside of folders once", () => {
  const index = docsIndex({ docs, stylesheet: "docs.css" });
  const article = index.slice(index.indexOf("<article"), index.indexOf("</article>"));
  const listed = [...article.matchAll(/href="([^"]*)"/g)].map(([, address]) => address);
  const expected = docs.map(({ address }) => address).filter((address) => /^\/docs\/[^/]+$/.test(address));
  expect([...listed].sort()).toEqual(
    [...expected, "/docs/decisions/readme", "/docs/reference/readme"].sort(),
  );
});

test("a document that is on no shelf is refused", () => {
  const added = docs.slice(0, 1).map((doc) => ({ ...doc, file: "docs/added.md", address: "/docs/added" }));
  expect(() => docsIndex({ docs: [...docs, ...added], stylesheet: "docs.css" })).toThrow(
    "docs/added.md is on no shelf",
  );
});
