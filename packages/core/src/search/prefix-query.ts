const maxCharacters = 200;
const maxWords = 10;

// The same separators as in the function querybell_search_words.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters separate words too.
const separators = /[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+/;

/**
 * What somebody typed, as text for Postgres's `to_tsquery`: every word as a prefix, all of them required. Undefined
 * when there are no words in it. What is left of a word has no character that `to_tsquery` treats as an operator.
 */
export function prefixQuery(text: string): string | undefined {
  const words = text.slice(0, maxCharacters).toWellFormed().split(separators).filter(Boolean);
  if (words.length === 0) return undefined;
  return words
    .slice(0, maxWords)
    .map((word) => `'${word}':*`)
    .join(" & ");
}
