import type { CheckedSummary } from "@querybell/domain";
import {
  type CheckedSentence,
  checkSentence,
  type DeclaredSentence,
  type EvaluatedFigure,
  figuresOf,
  keyOfFigure,
} from "@querybell/engines";
import { computeResults } from "../tools/compute-results.ts";
import { toStoredResult } from "../tools/step-results.ts";
import type { ToolWork } from "../tools/tool-work.ts";
import type { KnownResult, KnownResults } from "./known-results.ts";

/** Checks every sentence of a summary against the results that were read. Engine hosts compute what is declared. */
export async function checkSummary(
  work: ToolWork,
  sentences: DeclaredSentence[],
  results: KnownResults,
): Promise<CheckedSummary> {
  const texts = sentences.map(({ text }) => text);
  const figures = new Map<string, EvaluatedFigure>();
  const names = new Set<string>();
  const declared = figuresOf(sentences);
  for (const result of results.all()) {
    const own = declared.filter((figure) => figure.result === result.id);
    const answer = await computeResults(work, {
      operation: { name: "evaluate", figures: own, texts },
      results: [toStoredResult(work, result.stored)],
    });
    for (const [index, figure] of own.entries()) {
      figures.set(keyOfFigure(figure), answer?.figures[index] ?? tooLarge);
    }
    for (const name of answer?.names ?? []) names.add(name);
  }
  // What the model has named itself proves nothing, so it may not be quoted.
  const titles = results
    .all()
    .flatMap(({ title, columns, isOwnSql }) => (isOwnSql ? [] : [title, ...columns]));
  const evidence = { figures, names: [...names], titles };
  return {
    checkedSentences: sentences.map((sentence) => withSteps(checkSentence(sentence, evidence), results)),
  };
}

const tooLarge: EvaluatedFigure = {
  kind: "problem",
  reason: "The result is too large to be computed.",
  isEmpty: false,
};

function withSteps(
  { parts, ...sentence }: CheckedSentence,
  results: KnownResults,
): CheckedSummary["checkedSentences"][number] {
  return {
    ...sentence,
    parts: parts.map(({ start, end, sources }) => ({
      start,
      end,
      sources: sources.flatMap(({ result: id, column, rows }) => {
        const result: KnownResult | undefined = results.find(id);
        if (!result) return [];
        const { step, title, isOwnSql } = result;
        return [{ step, title, isOwnSql, column, rows }];
      }),
    })),
  };
}

const maxSummaryLength = 600;

/** Joins the sentences without problems, as many as fit. */
export function toSummaryText({ checkedSentences }: CheckedSummary): string {
  let summary = "";
  for (const { text, problems } of checkedSentences) {
    const longer = summary === "" ? text.trim() : `${summary} ${text.trim()}`;
    if (problems.length === 0 && longer.length <= maxSummaryLength) summary = longer;
  }
  return summary;
}

/** What the model has to correct, or null if there is nothing. */
export function toCorrections({ checkedSentences }: CheckedSummary): string | null {
  const wrong = checkedSentences.flatMap(({ text, problems }) =>
    problems.length > 0 ? [{ sentence: text, problems }] : [],
  );
  const length = checkedSentences.reduce((total, { text }) => total + text.trim().length + 1, -1);
  const tooLong =
    length > maxSummaryLength ? `It has ${length} characters, and may have ${maxSummaryLength}.` : null;
  if (wrong.length === 0 && tooLong === null) return null;
  return JSON.stringify({
    ...(tooLong && { problem: tooLong }),
    ...(wrong.length > 0 && { wrong }),
    do: "Correct it and call write_summary again, with all sentences.",
  });
}
