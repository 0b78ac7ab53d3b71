import { syntaxTree } from "@codemirror/language";
import type { EditorState, Text } from "@codemirror/state";

type SyntaxNode = ReturnType<typeof syntaxTree>["topNode"];

/** Keywords after which no more tables are named. */
const endsOfFrom = new Set(
  "where group having order union intersect except limit offset fetch for window qualify".split(" "),
);

export const isIdentifier = ({ name }: { name: string }): boolean =>
  name === "Identifier" || name === "QuotedIdentifier";

/** A name without its quotes. */
function nameOf({ from, to }: { from: number; to: number }, doc: Text): string {
  const text = doc.sliceString(from, to);
  return /^".*"$/.test(text) ? text.slice(1, -1).replaceAll('""', '"') : text.replace(/^"/, "");
}

/** The names that stand before a position, joined by points to what begins there. */
export function pathBefore(state: EditorState, pos: number): string[] {
  const path: string[] = [];
  const cursor = syntaxTree(state).cursorAt(pos, -1);
  while (cursor.name === ".") {
    cursor.moveTo(cursor.from, -1);
    if (!isIdentifier(cursor)) break;
    path.unshift(nameOf(cursor, state.doc));
    cursor.moveTo(cursor.from, -1);
  }
  return path;
}

/** What the aliases of the statement at a position stand for: `o` for `["main", "orders"]`. */
export function aliasesAt(state: EditorState, pos: number): Map<string, string[]> {
  const aliases = new Map<string, string[]>();
  // A statement can have thousands of tokens. A cursor passes them without creating a node for each.
  const cursor = statementAt(state, pos)?.cursor();
  if (!cursor?.firstChild()) return aliases;
  let isAfterFrom = false;
  let named: string[] | undefined;
  do {
    const keyword = cursor.name === "Keyword" ? state.sliceDoc(cursor.from, cursor.to).toLowerCase() : "";
    if (keyword === "from") isAfterFrom = true;
    else if (!isAfterFrom || keyword === "as") continue;
    else if (endsOfFrom.has(keyword)) break;
    else if (isIdentifier(cursor) && named) {
      aliases.set(nameOf(cursor, state.doc), named);
      named = undefined;
      continue;
    }
    named = pathOf(cursor.node, state.doc);
  } while (cursor.nextSibling());
  return aliases;
}

function statementAt(state: EditorState, pos: number): SyntaxNode | null {
  let node: SyntaxNode | null = syntaxTree(state).resolveInner(pos, -1);
  while (node && node.name !== "Statement") node = node.parent;
  return node;
}

/** The parts of a name; undefined for everything else. */
function pathOf(node: SyntaxNode, doc: Text): string[] | undefined {
  if (isIdentifier(node)) return [nameOf(node, doc)];
  if (node.name !== "CompositeIdentifier") return undefined;
  const path: string[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (isIdentifier(child)) path.push(nameOf(child, doc));
  }
  return path;
}
