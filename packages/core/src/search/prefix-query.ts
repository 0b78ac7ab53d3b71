const maxCharacters = 200;
const maxWords = 10;

// The same separators as in the function querybell_search_words.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters separate words too.
const separators = /[\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+/;

/**
 * Converts a search text to the syntax of Postgres's `to_tsquery`: every word is a required prefix. Undefined if the
 * text has no words. The words contain no character that `to_tsquery` treats as an operator.
 */
export function prefixQuery(text: string): string | undefined {
  const words = text.slice(0, maxCharacters).toWellFormed().split(separators).filter(Boolean);
  if (words.length === 0) return undefined;
  return words
    .slice(0, maxWords)
    .map((word) => `'${word}':*`)
    .join(" & ");
}
