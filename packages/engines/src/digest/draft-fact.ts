import { checkNumbers } from "../checked-summaries/check-sentences.ts";
import { type DeclaredSentence, figuresOf, keyOfFigure } from "../checked-summaries/declaration.ts";
import { evaluateFigure } from "../checked-summaries/evaluate-figure.ts";
import type { Tables } from "./digest-table.ts";
import type { Phrase } from "./phrase.ts";
import { quotedColumn } from "./plain-text.ts";

/** One fact in several wordings, the longest first. They are not checked yet. */
export type DraftFact = Phrase[];

export const isRight = (sentence: Phrase, tables: Tables): boolean =>
  problemsOf(sentence, tables).length === 0;

/** What is wrong with a sentence. The same check decides about what a language model writes. */
export function problemsOf({ text, declarations }: Phrase, tables: Tables): string[] {
  const sentence: DeclaredSentence = { text, declarations: [...declarations] };
  const figures = new Map(
    figuresOf([sentence]).flatMap((figure) => {
      const table = figure.result === "now" ? tables.now : tables.before;
      return table ? [[keyOfFigure(figure), evaluateFigure(table, figure)] as const] : [];
    }),
  );
  const fields = [...tables.now.fields, ...(tables.before?.fields ?? [])];
  const titles = fields.map(({ name }) => quotedColumn(name).slice(1, -1));
  // All words in the sentence that are not declared are ours, so none of them is the name of a row.
  return checkNumbers(sentence, { figures, names: [], titles }).problems;
}
