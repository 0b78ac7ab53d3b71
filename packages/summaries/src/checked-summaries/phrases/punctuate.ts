import type { Language } from "../slot.ts";

/** Phrases after which a clause begins without a mark. */
const conjunctions: Record<Language, RegExp> = {
  en: /^(?:and|but|while)$|(?: that)$/,
  de: /^(?:und|aber)$/,
  fr: /^(?:et|mais)$|(?:^| )qu(?:e|')$/,
  es: /^(?:y|pero)$|(?:^| )que$/,
};

/** Phrases that need a noun behind them, and what is published in their place before a clause. */
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
export function punctuate(tokens: readonly string[], language: Language): string {
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

export const joinTokens = (tokens: readonly string[]): string =>
  tokens.reduce((text, token) => (text === "" || isMark(token) ? `${text}${token}` : `${text} ${token}`), "");
