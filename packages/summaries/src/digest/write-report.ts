import { titleOf } from "../checked-summaries/check-summary.ts";
import type { Slot } from "../checked-summaries/slot.ts";
import type { StatementContext } from "../checked-summaries/statements/request.ts";
import { english } from "../checked-summaries/wording/english.ts";
import { writeStatement } from "../checked-summaries/write-statement.ts";
import { capitalized, joined, write } from "../checked-summaries/written.ts";
import type { ResultTable } from "../stored-results/result-table.ts";
import { haveSameRows } from "./compare-rows.ts";
import { type Fact, maxFacts, type Report, slot } from "./facts.ts";
import { isNamedBy, planAllChanges, planFacts } from "./plan-facts.ts";
import { getDay } from "./written-day.ts";

/** A reference of a run, with its result and the result of the previous run, if there was one. */
export interface ReportedReference {
  title: string;
  result: ResultTable;
  previous: ResultTable | null;
  /** The day of the run, by which a month that is not over is recognised: 2026-11-16. */
  today: string;
  /** The columns that its chart shows. The digest mentions them first. */
  shownColumns: readonly string[];
}

/** At most three facts about one reference, the most important first, written like the slots of a model. */
export function writeReport(reference: ReportedReference): Report {
  const { title, result, previous, shownColumns } = reference;
  const comparable = result.cut || previous?.cut ? null : previous;
  const isSame = comparable !== null && haveSameRows(result, comparable);
  const tables = { now: result, before: isSame ? null : comparable };
  const today = getDay(reference.today);
  const context: StatementContext = { tables, wording: english, today, numbers: "short" };
  const { facts: planned, lead } = planFacts(tables, { title, today, shownColumns });
  const facts: Fact[] = [];
  for (const wordings of planned) {
    if (facts.length === maxFacts) break;
    const written = wordings.flatMap((slots) => writeSlots(slots, context) ?? []);
    if (written.length > 0) facts.push({ wordings: [...new Set(written)].slice(0, 10) });
  }
  return {
    title: titleOf({ title }, "A result"),
    subject: lead !== null && isNamedBy(title, lead) ? lead : null,
    state: comparable === null ? "unknown" : isSame ? "same" : "changed",
    facts:
      facts.length > 0 ? facts : [{ wordings: [writeSlots([slot("count")], context) ?? "it was read."] }],
  };
}

/** One sentence of some slots; null if one of them cannot be filled. */
function writeSlots(slots: readonly Slot[], context: StatementContext): string | null {
  const statements = slots.map((one) => writeStatement(one, context));
  const written = statements.flatMap((statement) =>
    statement.kind === "written" ? [statement.written] : [],
  );
  if (written.length < statements.length || written.length === 0) return null;
  return `${joined(written, "; ").text}.`;
}

const maxChanges = 12;

/** How a result differs from that of the last run, in more sentences than a digest has. */
export function describeChanges(now: ResultTable, before: ResultTable): string[] {
  if (now.cut || before.cut) return ["A limit has cut one of the results, so they cannot be compared."];
  if (haveSameRows(now, before)) return ["Nothing has changed since the last run."];
  // The last possible day, so that every period is over.
  const today = { year: 9999, month: 12, day: 31 };
  const context: StatementContext = { tables: { now, before }, wording: english, today, numbers: "short" };
  const sentences = planAllChanges(now, before).flatMap(
    (wordings) => wordings.map((slots) => writeSlots(slots, context)).find((text) => text !== null) ?? [],
  );
  return sentences.slice(0, maxChanges).map((text) => capitalized(write`${text}`).text);
}
