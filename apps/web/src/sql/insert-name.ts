import { syntaxTree } from "@codemirror/language";
import type { EditorState, TransactionSpec } from "@codemirror/state";
import { isReserved } from "./quote-name.ts";

/** Words that are operands, as names are. */
const operands = new Set(
  `current_catalog current_date current_path current_role current_schema current_time current_timestamp current_user
  default false localtime localtimestamp null session_user system_user true user`.split(/\s+/),
);
/** Words at the end of an operand, and those at its start. */
const endWords = new Set(["asc", "desc", "end", "isnull", "notnull"]);
const startWords = new Set(["array", "case", "cast", "extract", "not", "trim"]);

/** How much of the text around the cursor is read. */
const maxLetters = 1000;
// Letters with their accents, digits, and signs that names may have.
const wordAtEnd = /(?<![\p{L}\p{M}\p{N}_$.])[\p{L}\p{M}\p{N}_$]+$/u;
const wordAtStart = /^[\p{L}\p{M}\p{N}_$]+/u;
/** The star of all columns follows such a word, a comma or a point. */
const starAtEnd = /((?<![\p{L}\p{M}\p{N}_$])[\p{L}\p{M}\p{N}_$]+|[,.])\s*\*$/u;

/** Inserts a name in place of the selection, with what separates it from the text around it. A word is not split. */
export function insertName(state: EditorState, name: string): TransactionSpec {
  const { main } = state.selection;
  const isLiteral = isInLiteral(state, main.from);
  const place = main.empty && !isLiteral ? (endOfWord(state, main.from) ?? main.from) : main.from;
  const end = Math.max(place, main.to);
  const before = isLiteral ? "" : separatorBefore(state.sliceDoc(Math.max(0, place - maxLetters), place));
  const after = isLiteral ? "" : separatorAfter(state.sliceDoc(end, end + maxLetters));
  return {
    changes: { from: place, to: end, insert: `${before}${name}${after}` },
    selection: { anchor: place + before.length + name.length },
    // A step of its own for undo.
    userEvent: "input",
    scrollIntoView: true,
  };
}

/** Whether this is within a text, a quoted name or a comment, where nothing separates words. */
function isInLiteral(state: EditorState, pos: number): boolean {
  const { name, from, to } = syntaxTree(state).resolveInner(pos, -1);
  if (name === "LineComment") return true;
  if (name === "BlockComment") return pos < to;
  if (name !== "String" && name !== "QuotedIdentifier") return false;
  return pos < to || to - from < 2 || !/["'`$]/.test(state.sliceDoc(to - 1, to));
}

/** The end of the word that a place is within. */
function endOfWord(state: EditorState, pos: number): number | undefined {
  const word = state.wordAt(pos);
  return word && word.from < pos ? word.to : undefined;
}

/** What belongs between this text and a name: "total" gets a comma, "SELECT" a space. */
function separatorBefore(text: string): string {
  if (text.endsWith(",")) return " ";
  if (text.endsWith("*")) return isAllColumns(text) ? ", " : "";
  const [word] = wordAtEnd.exec(text) ?? [];
  if (word !== undefined && leadsToName(word)) return " ";
  return /[\p{L}\p{M}\p{N}_$"'`)\]}]$/u.test(text) ? ", " : "";
}

/** What belongs between a name and this text. */
function separatorAfter(text: string): string {
  const [word] = wordAtStart.exec(text) ?? [];
  if (word === undefined) return /^["'{]/.test(text) ? ", " : "";
  const known = word.toLowerCase();
  return isReserved(known) && !operands.has(known) && !startWords.has(known) ? " " : ", ";
}

function leadsToName(word: string): boolean {
  const known = word.toLowerCase();
  return isReserved(known) && !operands.has(known) && !endWords.has(known);
}

/** Whether the star at the end stands for all columns, and does not multiply. */
function isAllColumns(text: string): boolean {
  const [, before] = starAtEnd.exec(text) ?? [];
  return before !== undefined && (before === "," || before === "." || leadsToName(before));
}
