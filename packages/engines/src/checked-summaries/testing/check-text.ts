import type { DigestTable } from "../../digest/digest-table.ts";
import { type CheckedSentence, checkSentence } from "../check-sentences.ts";
import { type DeclaredSentence, figuresOf, keyOfFigure } from "../declaration.ts";
import { evaluateFigure } from "../evaluate-figure.ts";
import { findNames } from "../find-names.ts";

/** Checks a sentence against results by their ids, as a run does in several processes. */
export function checkText(sentence: DeclaredSentence, results: Record<string, DigestTable>): CheckedSentence {
  const figures = new Map(
    figuresOf([sentence]).flatMap((figure) => {
      const table = results[figure.result];
      return table ? [[keyOfFigure(figure), evaluateFigure(table, figure)] as const] : [];
    }),
  );
  const names = Object.values(results).flatMap((table) => findNames(table, [sentence.text]));
  return checkSentence(sentence, { figures, names, titles: ["Revenue by month 2026"] });
}
