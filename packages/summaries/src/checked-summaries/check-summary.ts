import type { Statement } from "../stored-results/operations.ts";
import { type NamedSlot, type ParsedSentence, parseSummary } from "./parse-summary.ts";
import { plainText, problemOfName, quoteName } from "./safe-name.ts";
import type { Language } from "./slot.ts";
import { wordings } from "./wording/wording.ts";
import { capitalized, concat, type Piece, type Source, type Written, write } from "./written.ts";

/** A result that sentences may be about. */
export interface SummaryResult {
  id: string;
  title: string;
  isOwnSql: boolean;
  /**
   * The values of the result's parameters that differ from the automation's, as written: country "France".
   */
  values?: readonly string[];
}

interface CheckedPart {
  start: number;
  end: number;
  sources: (Source & { result: string })[];
}

export interface FilledSentence {
  /** As it is published or, with problems, as it was written. */
  text: string;
  /** Why it is struck. Empty if it is published. */
  problems: string[];
  parts: CheckedPart[];
}

/** A slot with the result that it is about. */
export interface BoundSlot extends NamedSlot {
  result: string;
}

interface BoundSentence extends ParsedSentence {
  slots: BoundSlot[];
}

/** Parses a summary and finds the result of each slot. */
export function bindSummary(
  text: string,
  language: Language,
  results: readonly SummaryResult[],
): BoundSentence[] {
  const [only, second] = results;
  return parseSummary(text, language).map((sentence) => {
    const problems = [...sentence.problems];
    const slots = sentence.pieces.flatMap((piece): BoundSlot[] => {
      if (piece.kind !== "slot") return [];
      const id = piece.result ?? (second === undefined ? only?.id : undefined);
      if (id !== undefined && results.some((result) => result.id === id)) return [{ ...piece, result: id }];
      problems.push(
        piece.result !== undefined
          ? `There is no result ${JSON.stringify(piece.result.slice(0, 40))}.`
          : only
            ? "There are several results. Name one: result=r1."
            : "No result was read.",
      );
      return [];
    });
    return { ...sentence, problems: [...new Set(problems)], slots };
  });
}

interface FillOptions {
  language: Language;
  results: readonly SummaryResult[];
  /** Whether each sentence says which result it is about. */
  isNaming: boolean;
  statementOf: (slot: BoundSlot) => Statement;
}

/** Replaces the slots with their statements. The text of a statement is never parsed for slots again. */
export function fillSentence(sentence: BoundSentence, options: FillOptions): FilledSentence {
  const struck = (problems: string[]) => ({ text: sentence.source, problems, parts: [] });
  if (sentence.problems.length > 0) return struck(sentence.problems);
  const problems: string[] = [];
  const pieces: Piece[] = [];
  const slots = [...sentence.slots];
  let named: string | undefined;
  let previous: Written | undefined;
  for (const piece of sentence.pieces) {
    if (piece.kind === "text") {
      pieces.push(
        toConnecting(piece.text, { previous, isBetween: slots.length > 0, language: options.language }),
      );
      continue;
    }
    const slot = slots.shift();
    const statement = slot && options.statementOf(slot);
    if (!slot || !statement) return struck(["It could not be computed."]);
    if (statement.kind === "refused") {
      problems.push(`{{${slot.slot.operation} …}}: ${statement.reason}`);
      continue;
    }
    if (previous && (typeof pieces.at(-1) !== "string" || pieces.at(-1) === ""))
      return struck(["Put a comma, a semicolon or a word between two slots."]);
    const start = slot.result === named ? "" : startOf(slot.result, options);
    named = slot.result;
    const written = write`${start}${withResult(statement.written, slot.result)}`;
    joinBefore(pieces, { written, isHeadline: headlines.has(slot.slot.operation) }, options.language);
    pieces.push(written);
    previous = written;
  }
  if (problems.length > 0) return struck([...new Set(problems)]);
  const whole = capitalized(concat(pieces));
  return { text: `${whole.text.trimEnd()}.`, problems: [], parts: whole.parts as CheckedPart[] };
}

/** The result is added to each source. */
const withResult = ({ text, parts }: Written, result: string): Written => ({
  text,
  parts: parts.map((part) => ({ ...part, sources: part.sources.map((source) => ({ ...source, result })) })),
});

/** The word between two short statements that needs no mark before it. */
const and = /^(?:and|und|et|y)$/;

interface Around {
  previous: Written | undefined;
  isBetween: boolean;
  language: Language;
}

/** Adds the spaces. Other words, and statements with commas or lists, are separated by a semicolon. */
function toConnecting(text: string, { previous, isBetween, language }: Around): string {
  if (text === "") return "";
  // French has a space before both.
  const spaced = (marked: string) => (language === "fr" ? marked.replaceAll(/[:;]/g, " $&") : marked);
  if (previous === undefined) return `${spaced(text)} `;
  const [, mark = "", words = ""] = /^([,;]?) ?(.*)$/.exec(text) ?? [];
  const isClear = !/[,:]/.test(previous.text) && (words === "" || and.test(words));
  const separator = !isBetween || isClear ? mark : ";";
  return spaced(words === "" ? `${separator} ` : `${separator} ${words} `);
}

/** Statements without a verb: a name, a colon and a list. */
const headlines = new Set(["list", "groups", "movers", "changes", "new_rows", "gone_rows"]);

interface Following {
  written: Written;
  isHeadline: boolean;
}

/** Adapts the words before a statement: "shows that" needs a verb, and "que il y a" becomes "qu’il y a". */
function joinBefore(pieces: Piece[], { written, isHeadline }: Following, language: Language): void {
  const words = pieces.at(-1);
  const [ending, word] = (typeof words === "string" && / (that|que|qu'),? $/.exec(words)) || [];
  if (typeof words !== "string" || ending === undefined) return;
  const isContrast = /(?:tandis|mientras) que $/.test(words);
  const isFrench = language === "fr";
  const fitting =
    isHeadline && !isContrast
      ? `${wordings[language].colon} `
      : isFrench
        ? ` ${/^[aeiouéèêîô]/i.test(written.text) ? "qu’" : "que "}`
        : ` ${word} `;
  pieces[pieces.length - 1] = `${words.slice(0, -ending.length)}${fitting}`;
}

/** in "Sales" with country "France", … */
function startOf(id: string, { language, results, isNaming }: FillOptions): string {
  const wording = wordings[language];
  const position = results.findIndex((result) => result.id === id);
  const result = results[position];
  if (!result) return "";
  if (result.isOwnSql) return wording.bySqlOfModel;
  const values = result.values ?? [];
  if (!isNaming && values.length === 0) return "";
  const number = `${wording.result} ${position + 1}`;
  const isAlone = results.filter((other) => other.title === result.title).length === 1 || values.length > 0;
  const title = isAlone ? titleOf(result, number) : `${titleOf(result, "")} (${number})`.trim();
  return wording.inTitle(values.length === 0 ? title : `${title} (${values.join(", ")})`);
}

const maxTitle = 60;

/** A title in quotation marks; or the other name where it cannot be published. */
export function titleOf({ title }: Pick<SummaryResult, "title">, otherwise: string): string {
  const short = plainText(title, maxTitle);
  return problemOfName(short) === undefined ? quoteName(short) : otherwise;
}

/** Says only which results were read, for a summary without a checked figure. */
export function readResultsText(language: Language, results: readonly SummaryResult[]): string {
  const wording = wordings[language];
  return wording.read(
    results.slice(0, 8).map((result, at) => titleOf(result, `${wording.result} ${at + 1}`)),
  );
}

const maxSummaryLength = 600;

interface PublishedSummary {
  /** Empty if every sentence was struck. */
  text: string;
  sentences: FilledSentence[];
}

/** Joins the sentences without problems. Those that no longer fit are struck. */
export function publishSummary(checked: readonly FilledSentence[]): PublishedSummary {
  let text = "";
  const sentences = checked.map((sentence): FilledSentence => {
    if (sentence.problems.length > 0) return sentence;
    const longer = text === "" ? sentence.text : `${text} ${sentence.text}`;
    if (longer.length > maxSummaryLength) return { ...sentence, problems: [tooLong], parts: [] };
    text = longer;
    return sentence;
  });
  return { text, sentences };
}

const tooLong = `With it, the summary would have more than ${maxSummaryLength} characters.`;
