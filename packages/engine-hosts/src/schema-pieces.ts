import { cutText } from "@querybell/domain/text";
import { maxCommentLength, type Table } from "@querybell/engines";
import type { ListPiece } from "./messages.ts";

const maxPieceItems = 1000;
const maxPieceCharacters = 256 * 1024;
const maxCommentCharacters = 1024 ** 2;

/** The columns of a table as a host sends them. */
export const toColumnRows = ({ schema, name, columns }: Table): string[][] =>
  columns.map((column) => [schema, name, column.name, column.type]);

type CommentItem = Extract<ListPiece, { list: "comments" }>["items"][number];

/** The comments of tables and columns, each cut, as many as fit. A catalog can have megabytes of them. */
export function takeComments(tables: readonly Table[]): CommentItem[] {
  let left = maxCommentCharacters;
  const take = (schema: string, table: string, column: string, comment = ""): CommentItem[] => {
    const text = cutText(comment, maxCommentLength);
    left -= text.length;
    return text === "" || left < 0 ? [] : [[schema, table, column, text]];
  };
  return tables.flatMap(({ schema, name, comment, columns }) => [
    ...take(schema, name, "", comment),
    ...columns.flatMap((column) => take(schema, name, column.name, column.comment)),
  ]);
}

/** Pieces that fit into a message each, unless one item alone does not. */
export function splitList<Item>(items: readonly Item[]): Item[][] {
  const pieces: Item[][] = [];
  let characters = 0;
  for (const item of items) {
    characters += JSON.stringify(item).length;
    const last = pieces.at(-1);
    if (last && last.length < maxPieceItems && characters < maxPieceCharacters) last.push(item);
    else {
      pieces.push([item]);
      characters = 0;
    }
  }
  return pieces;
}
