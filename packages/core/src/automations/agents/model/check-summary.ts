import type { CheckedSummary } from "@querybell/domain";
import {
  type BoundSlot,
  bindSummary,
  type FilledSentence,
  fillSentence,
  type Language,
  problemOfName,
  publishSummary,
  quoteName,
  readResultsText,
  type SummaryResult,
} from "@querybell/summaries";
import { computeResults, toStoredResult } from "../tools/step-results.ts";
import type { ToolWork } from "../tools/tool-call.ts";
import { type KnownResult, type KnownResults, type ModelValue, previousId } from "./known-results.ts";

interface ProposedSummary {
  language: Language;
  text: string;
}

/** Computes the slots of a summary in engine hosts, and strikes the sentences with a problem. */
export async function checkSummary(
  work: ToolWork,
  { language, text }: ProposedSummary,
  results: KnownResults,
): Promise<CheckedSummary> {
  const known = results.all();
  const sentences = bindSummary(text, language, known);
  const statements = new Map<BoundSlot, Statement>();
  const named: SummaryResult[] = [];
  for (const result of known) {
    const slots = sentences.flatMap((sentence) => sentence.slots).filter((slot) => slot.result === result.id);
    const written = slots.length > 0 ? await writeStatements(work, { result, slots, language, results }) : [];
    for (const [index, slot] of slots.entries()) statements.set(slot, written[index] ?? tooLarge);
    named.push({ ...result, values: writeValues(result.modelValues) });
  }
  const isNaming = known.length > 1 || work.run.brief.references.length > 1;
  const filled = sentences.map((sentence) =>
    fillSentence(sentence, {
      language,
      results: named,
      isNaming,
      statementOf: (slot) => statements.get(slot) ?? tooLarge,
    }),
  );
  const published = publishSummary(filled);
  return {
    checkedSentences: published.sentences.map((sentence) => withSteps(sentence, results)),
    text: published.text,
    ...(known.length > 0 && { readResults: readResultsText(language, named) }),
  };
}

type Statement = ReturnType<Parameters<typeof fillSentence>[1]["statementOf"]>;

const tooLarge: Statement = {
  kind: "refused",
  reason: "Computing with this result takes too much memory, or more than five minutes.",
};
const ownText: Statement = {
  kind: "refused",
  reason:
    "The result was read with a text that you chose yourself and that is in none of its rows. Use the values of the automation, and select rows in the slot.",
};

interface StatementWork {
  result: KnownResult;
  slots: BoundSlot[];
  language: Language;
  results: KnownResults;
}

async function writeStatements(
  work: ToolWork,
  { result, slots, language, results }: StatementWork,
): Promise<Statement[]> {
  const previous = results.find(previousId(result.id));
  const texts = result.modelValues.flatMap(({ value }) => textsIn(value));
  const answer = await computeResults(work, {
    operation: {
      name: "statements",
      slots: slots.map(({ slot }) => slot),
      language,
      today: work.deps.clock.now().toISOString().slice(0, 10),
      isOwnSql: result.isOwnSql,
      texts: texts.map((text) => text.slice(0, 200)),
    },
    results: [result, ...(previous ? [previous] : [])].map(({ stored }) => toStoredResult(work, stored)),
  });
  if (!answer) return slots.map(() => tooLarge);
  return answer.areCells.includes(false) || texts.some((text) => problemOfName(text) !== undefined)
    ? slots.map(() => ownText)
    : answer.statements;
}

/**
 * The texts in a parameter value that must be cells of the result: a model could publish anything as a value.
 */
const textsIn = (value: unknown): string[] =>
  [value].flat().flatMap((one) => (typeof one === "string" && !harmless.test(one) ? [one] : []));
/** A number, a date or a time. Digits with other characters between them can be an address. */
const harmless = /^(?:|[+-]?\d+(?:\.\d+)?|\d{4}-\d\d(?:-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)?)?)$/;

/** country "France", limit 5 */
const writeValues = (values: readonly ModelValue[]): string[] =>
  values.map(({ name, value }) => {
    const written = [value].flat().map((one) => {
      if (one === null) return "–";
      const isText = typeof one === "string" && textsIn(one).length > 0;
      return isText && problemOfName(one) === undefined ? quoteName(one) : isText ? "…" : String(one);
    });
    return `${/^\w{1,30}$/.test(name) ? name : "…"} ${written.join(", ")}`;
  });

function withSteps(
  { parts, ...sentence }: FilledSentence,
  results: KnownResults,
): CheckedSummary["checkedSentences"][number] {
  return {
    ...sentence,
    parts: parts.map(({ start, end, sources }) => ({
      start,
      end,
      sources: sources.slice(0, 2).flatMap(({ result: id, run, column, rows }) => {
        const result = results.find(run === "before" ? previousId(id) : id);
        if (!result) return [];
        const { step, title, isOwnSql } = result;
        return [{ step, title, isOwnSql, column, rows }];
      }),
    })),
  };
}

/** What the model has to correct, or null if there is nothing. */
export function toCorrections({ checkedSentences }: CheckedSummary): string | null {
  const wrong = checkedSentences.flatMap(({ text, problems }) =>
    problems.length > 0 ? [{ sentence: text, problems }] : [],
  );
  if (wrong.length === 0) return null;
  return JSON.stringify({ wrong, do: "Correct it and call write_summary again, with all sentences." });
}
