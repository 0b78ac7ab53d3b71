import { haveSameRows } from "./compare-rows.ts";
import type { DigestTable, ReferenceResult } from "./digest-table.ts";
import { isRight } from "./draft-fact.ts";
import { draftChanges, draftFacts, isNamedBy } from "./draft-facts.ts";
import { capitalized } from "./phrase.ts";
import { quote } from "./plain-text.ts";
import { type Fact, maxFacts, type Report } from "./report.ts";
import { parseDay } from "./written-day.ts";

const maxTitle = 60;

/** At most three facts about one reference, the most important first. Every number in them is checked. */
export function describeResult({ title, result, previous, today }: ReferenceResult): Report {
  const comparable = result.cut || previous?.cut ? null : previous;
  const isSame = comparable !== null && haveSameRows(result, comparable);
  const tables = { now: result, before: isSame ? null : comparable };
  const day = parseDay(today) ?? { year: 0, month: 1, day: 1 };
  const { facts: drafts, lead } = draftFacts(tables, day);
  const facts: Fact[] = [];
  for (const wordings of drafts) {
    if (facts.length === maxFacts) break;
    const right = wordings.filter((wording) => isRight(wording, tables));
    if (right.length > 0) facts.push({ wordings: right.map(({ text }) => text) });
  }
  return {
    title: quote(title, maxTitle),
    subject: lead !== null && isNamedBy(title, lead) ? lead : null,
    state: comparable === null ? "unknown" : isSame ? "same" : "changed",
    facts: facts.length > 0 ? facts : [{ wordings: ["nothing can be said of it in numbers."] }],
  };
}

const maxChanges = 12;

/** How a result differs from that of the last run, in more sentences than a digest has. */
export function describeChanges(now: DigestTable, before: DigestTable): string[] {
  if (now.cut || before.cut) return ["A limit has cut one of the results, so they cannot be compared."];
  if (haveSameRows(now, before)) return ["Nothing has changed since the last run."];
  const tables = { now, before };
  const sentences = draftChanges(now, before).flatMap(
    (wordings) => wordings.find((wording) => isRight(wording, tables)) ?? [],
  );
  return sentences.slice(0, maxChanges).map(({ text }) => capitalized(text));
}
