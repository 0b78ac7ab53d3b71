import type { Declaration, Figure } from "../checked-summaries/declaration.ts";

/** A part of a sentence, with the declarations of what is written in it. */
export interface Phrase {
  text: string;
  declarations: readonly Declaration[];
}

type Part = Phrase | string | null;

/** Puts parts together: phrase`${name} was ${value}`. A null is left out. */
export function phrase(texts: TemplateStringsArray, ...parts: Part[]): Phrase {
  const whole = texts.flatMap((text, i): Part[] => [text, parts[i] ?? null]);
  return concat(whole);
}

const concat = (parts: readonly Part[]): Phrase => ({
  text: parts.map((part) => (typeof part === "string" ? part : (part?.text ?? ""))).join(""),
  declarations: parts.flatMap((part) => (part === null || typeof part === "string" ? [] : part.declarations)),
});

/** "a", "a and b", "a, b and c" */
export const listed = (parts: readonly Phrase[], last = " and "): Phrase =>
  concat(parts.flatMap((part, i) => [i === 0 ? "" : i === parts.length - 1 ? last : ", ", part]));

export const joined = (parts: readonly Phrase[], separator: string): Phrase =>
  concat(parts.flatMap((part, i) => [i === 0 ? "" : separator, part]));

/** What is written is the figure itself. */
export const figurePhrase = (written: string, of: Figure): Phrase => ({
  text: written,
  declarations: [{ written, operation: "figure", of }],
});

/** The first letter as at the beginning of a sentence. */
export const capitalized = (text: string): string =>
  text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/** A phrase at the beginning of a sentence. What is declared in it must begin with something else than a letter. */
export const capitalizedPhrase = ({ text, declarations }: Phrase): Phrase => ({
  text: capitalized(text),
  declarations,
});
