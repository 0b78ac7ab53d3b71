import type { TableForModels } from "../databases/tables-for-models.ts";

const maxWords = 30;
const minWordLength = 4;

/** The words of a question that may name something in the schema. */
const wordsOf = (question: string): string[] => [
  ...new Set(
    question
      .toLowerCase()
      .split(/[^\p{L}\p{N}_]+/u)
      .filter(({ length }) => length >= minWordLength)
      .slice(0, maxWords),
  ),
];

/** Whether the text names the table. */
export const isNamedIn = (text: string, { name }: Pick<TableForModels, "name">): boolean =>
  text.includes(name.toLowerCase());

interface Asked {
  sql: string;
  question: string;
}

/** Sorts tables: those that are named first, then those that have a word of the question, then all others. */
export function sortByRelevance(tables: readonly TableForModels[], asked: Asked): TableForModels[] {
  const text = `${asked.sql}\n${asked.question}`.toLowerCase();
  const words = wordsOf(asked.question);
  const rank = (table: TableForModels): number => {
    if (isNamedIn(text, table)) return 0;
    const described = JSON.stringify(table).toLowerCase();
    return words.some((word) => described.includes(word)) ? 1 : 2;
  };
  const ranked = tables.map((table) => ({ table, rank: rank(table) }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ table }) => table);
}
