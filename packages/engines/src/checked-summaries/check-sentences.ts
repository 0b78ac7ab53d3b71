import { checkDeclaration } from "./check-declaration.ts";
import {
  type Declaration,
  type DeclaredSentence,
  type EvaluatedFigure,
  type Figure,
  keyOfFigure,
} from "./declaration.ts";
import { checkDirections } from "./directions.ts";
import { findTokens, normalize, type Token } from "./find-tokens.ts";
import { findForbidden } from "./forbidden-text.ts";
import { isNameOf } from "./written-name.ts";

interface CheckedSource {
  result: string;
  column: string | null;
  /** The first of the rows that it was computed from, counted from 1. */
  rows: number[];
}

/** Where a part of a sentence comes from. */
interface CheckedPart {
  start: number;
  end: number;
  sources: CheckedSource[];
}

export interface CheckedSentence {
  text: string;
  /** Why it cannot be part of a summary. Empty if everything in it was found in the data. */
  problems: string[];
  parts: CheckedPart[];
}

export interface Evidence {
  /** By `keyOfFigure`. */
  figures: ReadonlyMap<string, EvaluatedFigure>;
  /** Texts of cells that occur in the sentences. */
  names: readonly string[];
  /** Titles and names of columns, which may be quoted. */
  titles: readonly string[];
}

interface Span {
  start: number;
  end: number;
}

const isEqual = (one: Span, other: Span): boolean => one.start === other.start && one.end === other.end;
const overlaps = (one: Span, other: Span): boolean => one.start < other.end && other.start < one.end;

const unknownFigure: EvaluatedFigure = {
  kind: "problem",
  reason: "There is no such result.",
  isEmpty: false,
};

/** Checks a sentence of a model: it must have no forbidden text, and pass `checkNumbers`. */
export function checkSentence(sentence: DeclaredSentence, evidence: Evidence): CheckedSentence {
  const { text } = sentence;
  const forbidden = findForbidden(text);
  return forbidden ? { text, problems: [forbidden], parts: [] } : checkNumbers(sentence, evidence);
}

/**
 * Every number, date and name of a row must be declared, once, and the declaration must give exactly what is written.
 * The data is not searched for a number: from many cells almost any number can be derived.
 */
export function checkNumbers({ text, declarations }: DeclaredSentence, evidence: Evidence): CheckedSentence {
  const evaluate = (figure: Figure) => evidence.figures.get(keyOfFigure(figure)) ?? unknownFigure;
  const problems: string[] = [];
  const parts: CheckedPart[] = [];
  const titles = quotedSpans(text).filter(({ start, end }) =>
    evidence.titles.some((title) => normalize(title) === normalize(text.slice(start + 1, end - 1))),
  );
  const claim = (declaration: Declaration, span: Span | undefined) => {
    const { of, against, written } = declaration;
    const operands = { of: evaluate(of), against: against && evaluate(against) };
    const reason = span
      ? checkDeclaration(declaration, operands)
      : "It is declared, but is not in the sentence as declared, or not as often.";
    if (reason !== undefined) problems.push(`${JSON.stringify(written)}: ${reason}`);
    if (!span) return;
    const sources = sourcesOf(declaration, evaluate);
    const known = parts.find(({ start }) => start === span.start);
    if (known) known.sources.push(...sources);
    else parts.push({ start: span.start, end: span.end, sources });
  };

  const isName = (declaration: Declaration) =>
    declaration.operation === "figure" && isNamed(declaration, evaluate(declaration.of));
  for (const declaration of declarations.filter(isName)) {
    // Several rows may have the same name. A part of a name that is declared is not another name.
    const spans = occurrences(text, declaration.written).filter(
      (span) => !parts.some((part) => overlaps(part, span) && !isEqual(part, span)),
    );
    if (spans.length === 0) claim(declaration, undefined);
    for (const span of spans) claim(declaration, span);
  }
  const masks: Span[] = [...parts, ...titles];
  const tokens = findTokens(text).filter((token) => !masks.some((mask) => overlaps(mask, token)));
  const claimed = new Set<Token>();
  for (const declaration of declarations.filter((one) => !isName(one))) {
    const written = tokenOf(declaration.written);
    // A date may be declared several times, for several rows. The same number may mean several things.
    const isFree = (token: Token) => !claimed.has(token) || token.kind === "date";
    const token = tokens.find((one) => isFree(one) && one.text === written);
    if (token) claimed.add(token);
    if (token?.kind === "date") for (const one of tokens) if (one.text === written) claimed.add(one);
    claim({ ...declaration, written: written ?? declaration.written }, token);
  }
  problems.push(...tokens.filter((token) => !claimed.has(token)).map(undeclared));
  const known: Span[] = [...parts, ...titles];
  for (const quoted of quotedSpans(text)) {
    const inner = { start: quoted.start + 1, end: quoted.end - 1 };
    if (known.some(({ start, end }) => start <= inner.start + 1 && end >= inner.end - 1)) continue;
    problems.push(`${text.slice(quoted.start, quoted.end)}: What is quoted must be declared, or be a title.`);
  }
  for (const name of evidence.names) {
    for (const span of occurrences(text, name)) {
      if (known.some((one) => overlaps(one, span))) continue;
      problems.push(`${JSON.stringify(name)}: It is the name of a row, and is not declared.`);
      break;
    }
  }
  problems.push(...checkDirections(text, declarations));
  return { text, problems: [...new Set(problems)], parts: parts.toSorted((a, b) => a.start - b.start) };
}

/** Whether a declaration names a text. A date that is written in another way than in the data is found as a token. */
const isNamed = ({ written }: Declaration, evaluated: EvaluatedFigure): boolean =>
  evaluated.kind === "text" && isNameOf(written, evaluated.text);

const tokenOf = (written: string): string | undefined => {
  const [token, second] = findTokens(written);
  return second ? undefined : token?.text;
};

const undeclared = ({ kind, text }: Token): string =>
  kind === "number_word"
    ? `${JSON.stringify(text)}: Write numbers in digits, and declare them.`
    : `${JSON.stringify(text)}: It is not declared.`;

const sourcesOf = (
  { of, against }: Declaration,
  evaluate: (figure: Figure) => EvaluatedFigure,
): CheckedSource[] =>
  [of, against].flatMap((figure) => {
    if (!figure) return [];
    const evaluated = evaluate(figure);
    const rows = evaluated.kind === "problem" ? [] : evaluated.rows;
    return [{ result: figure.result, column: figure.column ?? null, rows }];
  });

/** The places where a text occurs as whole words. */
function occurrences(text: string, part: string): Span[] {
  const spans: Span[] = [];
  const isWordPart = (character: string) => /[\p{L}\p{N}_]/u.test(character);
  for (let start = text.indexOf(part); start !== -1; start = text.indexOf(part, start + 1)) {
    const end = start + part.length;
    const isWhole =
      !(isWordPart(part.charAt(0)) && isWordPart(text.charAt(start - 1))) &&
      !(isWordPart(part.charAt(part.length - 1)) && isWordPart(text.charAt(end)));
    if (isWhole) spans.push({ start, end });
  }
  return spans;
}

/** The quoted parts, with their quotation marks. */
function quotedSpans(text: string): Span[] {
  return [...text.matchAll(/"[^"]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»/gu)].map(({ 0: quoted, index }) => ({
    start: index,
    end: index + quoted.length,
  }));
}
