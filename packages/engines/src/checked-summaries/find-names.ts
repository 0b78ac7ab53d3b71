import type { DigestTable } from "../digest/digest-table.ts";

const maxNames = 200;
const maxWords = 12;
/** Shorter texts occur too often by chance. */
const minLength = 3;
const maxLength = 80;

/** Finds the texts of a result's cells that occur in these texts as whole words. */
export function findNames({ fields, rows }: DigestTable, texts: readonly string[]): string[] {
  const phrases = new Set(texts.flatMap(phrasesOf));
  const found = new Set<string>();
  const columns = [...fields.keys()].filter((position) => fields[position]?.type === "string");
  for (const row of rows) {
    for (const column of columns) {
      const cell = row[column];
      if (typeof cell !== "string" || cell.length < minLength || cell.length > maxLength) continue;
      const name = cell.trim();
      if (phrases.has(name) && /\p{L}/u.test(name)) found.add(name);
    }
    if (found.size >= maxNames) break;
  }
  return [...found].slice(0, maxNames);
}

/** Every sequence of up to twelve words, with and without the punctuation around it. */
function phrasesOf(text: string): string[] {
  const words = [...text.matchAll(/[^\s"“”„«»]+/gu)].map(({ 0: word, index }) => ({
    start: index,
    end: index + word.length,
  }));
  return words.flatMap(({ start }, first) =>
    words.slice(first, first + maxWords).flatMap(({ end }) => {
      const phrase = text.slice(start, end);
      const bare = phrase.replace(/^[('‘’*_]+/u, "");
      let length = bare.length;
      while (length > 0 && /[.,:;!?…)'’*_]/u.test(bare.charAt(length - 1))) length--;
      return [phrase, bare.slice(0, length)];
    }),
  );
}
