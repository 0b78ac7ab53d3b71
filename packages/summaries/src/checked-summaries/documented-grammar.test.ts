import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { checkLine } from "./check-line.ts";
import { phrases } from "./phrases/phrases.ts";
import { Operation } from "./slot.ts";

const page = await readFile(new URL("../../../../docs/summaries.md", import.meta.url), "utf8");

test("docs/summaries.md lists exactly the phrases that are allowed", () => {
  const lists = [...page.matchAll(/^`(?:openers|links|endings)`: (.+)$/gm)].map(([, list = ""]) =>
    list.split(" · "),
  );
  const allowed = Object.values(phrases).flatMap(({ openers, links, endings }) => [openers, links, endings]);
  expect(lists).toEqual(allowed);
});

test("docs/summaries.md names every operation", () => {
  for (const operation of Operation.options) expect(page).toContain(`\`${operation}\``);
});

test("the example line of docs/summaries.md gives what it says", () => {
  const [line = "", answer = ""] = [...page.matchAll(/```json\n(\{.+\})\n```/g)].map(([, json]) => json);
  expect({ line: 1, ...checkLine(line, new Date("2026-11-16")) }).toEqual(JSON.parse(answer));
});
