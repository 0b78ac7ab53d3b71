import { expect, test } from "vitest";
import { checkLine } from "./check-line.ts";
import { phrases } from "./phrases/phrases.ts";
import { type HostileSummary, hostileSummaries } from "./testing/hostile-summaries.ts";
import { sampleResults, sampleToday } from "./testing/sample-results.ts";

const now = new Date(sampleToday);
const publish = ({ language, text }: Pick<HostileSummary, "language" | "text">) => {
  const line = { language, text, today: sampleToday, results: sampleResults };
  const checked = checkLine(JSON.stringify(line), now);
  if ("error" in checked) throw new Error(checked.error);
  return checked;
};

test("there are many hostile summaries", () => {
  expect(hostileSummaries.length).toBeGreaterThan(1_200);
});

test("what is false is struck, and what is published says itself what it is about", () => {
  const wrong = hostileSummaries.flatMap((summary) => {
    const { published } = publish(summary);
    return published === summary.published ? [] : [{ ...summary, wasPublished: published }];
  });
  expect(wrong).toEqual([]);
});

test("no phrase holds a digit, a quotation mark or a mark that could join or change figures", () => {
  for (const { openers, links, endings } of Object.values(phrases)) {
    for (const phrase of [...openers, ...links, ...endings])
      expect(phrase).toMatch(/^[\p{Script=Latin}' ]+$/u);
  }
});
