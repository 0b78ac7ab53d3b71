import type { Language } from "../slot.ts";
import { type Phrases, phrases } from "./phrases.ts";

export type Position = "before" | "between" | "after";

export type Connecting = { text: string } | { problem: string };

/** Which lists may be used where. */
const listsAt: Record<Position, (keyof Phrases)[]> = {
  before: ["openers", "links"],
  between: ["links", "openers", "endings"],
  after: ["endings"],
};
const marksAt: Record<Position, RegExp> = { before: /[,:]/, between: /[,;]/, after: /,/ };

/** The phrases as they are published, by their lower case. */
const known = new Map<string, ReadonlyMap<string, string>>();
function phrasesAt(language: Language, position: Position): ReadonlyMap<string, string> {
  const key = `${language} ${position}`;
  const found = known.get(key);
  if (found) return found;
  const all = listsAt[position].flatMap((list) => phrases[language][list]);
  const made = new Map(all.map((phrase) => [phrase.toLowerCase(), phrase]));
  known.set(key, made);
  return made;
}

const maxWords = 8;

/**
 * Checks the text around slots: it must consist of listed phrases and a few marks. Returns it as it is in the
 * lists, so that look-alike letters are never published.
 */
export function checkConnectingText(text: string, position: Position, language: Language): Connecting {
  const allowed = phrasesAt(language, position);
  const tokens =
    text
      .normalize("NFC")
      .replaceAll("’", "'")
      .match(/[,;:]|[^\s,;:]+/gu) ?? [];
  const written: string[] = [];
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at] ?? "";
    if (/^[,;:]$/.test(token)) {
      if (!marksAt[position].test(token) || /^[,;:]$/.test(written.at(-1) ?? ""))
        return { problem: `${JSON.stringify(token)} cannot stand there.` };
      if (position === "before" && written.length === 0)
        return { problem: "A sentence begins with a word or a slot." };
      written.push(token);
      at++;
      continue;
    }
    const found = longestPhrase(tokens.slice(at), allowed);
    if (!found) return { problem: notListed(tokens.slice(at), position) };
    written.push(found.phrase);
    at += found.length;
  }
  return { text: position === "after" ? joinTokens(written) : punctuate(written, language) };
}

/** The longest, so that "and also" is not read as "and". */
function longestPhrase(tokens: readonly string[], allowed: ReadonlyMap<string, string>) {
  for (let length = Math.min(maxWords, tokens.length); length > 0; length--) {
    const phrase = allowed.get(tokens.slice(0, length).join(" ").toLowerCase());
    if (phrase !== undefined) return { phrase, length };
  }
  return undefined;
}

const where: Record<Position, string> = {
  before: "before the first slot",
  between: "between two slots",
  after: "after the last slot",
};

const notListed = (tokens: readonly string[], position: Position): string =>
  `${JSON.stringify(tokens.slice(0, 6).join(" ").slice(0, 80))} is not one of the phrases that may stand ${where[position]}. What a sentence says comes from slots.`;

/** Phrases after which a clause begins without a mark. */
const conjunctions: Record<Language, RegExp> = {
  en: /^(?:and|but|while)$|(?: that)$/,
  de: /^(?:und|aber)$/,
  fr: /^(?:et|mais)$|(?:^| )qu(?:e|')$/,
  es: /^(?:y|pero)$|(?:^| )que$/,
};

/** Phrases that need a noun after them, and their replacements before a clause. */
const beforeClauses = new Map([
  ["as well as", "and"],
  ["sowie", "und"],
  ["ainsi que", "et"],
  ["así como", "y"],
]);

/** The last word of a phrase that announces what follows: "the data show:", "key figures:". */
const announcing = new Set(
  (
    "show shows say says see note summary report result results data figures numbers details " +
    "montre montrent indique indiquent voit constate noter résumé rapport résultat résultats données chiffres clés détails " +
    "muestra muestran indica indican nota resumen informe resultado resultados datos cifras clave detalles"
  ).split(" "),
);
/** "in the data" and "according to the report" announce nothing. */
const preposition = /^(?:in|according|from|selon|d'après|dans|en|según|de) /;
const announces = (phrase: string): boolean =>
  announcing.has(phrase.split(" ").at(-1) ?? "") && !preposition.test(phrase);

/**
 * Joins phrases with the marks between them. Where one is missing, it is added: "further total revenue" would mean
 * something else than "further, total revenue". In German a colon comes before a clause, because after other words the
 * verb would have to stand before its subject.
 */
function punctuate(tokens: readonly string[], language: Language): string {
  const marked = tokens.flatMap((token, i): string[] => {
    const phrase = beforeClauses.get(token) ?? token;
    const next = tokens[i + 1];
    const isLast = next === undefined || (isMark(next) && i + 2 === tokens.length);
    if (isMark(token)) return language === "de" && i > 0 && i + 1 === tokens.length ? [":"] : [token];
    if (conjunctions[language].test(phrase) || (next !== undefined && isMark(next))) return [phrase];
    return [phrase, isLast && (language === "de" || announces(phrase)) ? ":" : ","];
  });
  return joinTokens(marked);
}

const isMark = (token: string): boolean => /^[,;:]$/.test(token);

const joinTokens = (tokens: readonly string[]): string =>
  tokens.reduce((text, token) => (text === "" || isMark(token) ? `${text}${token}` : `${text} ${token}`), "");
