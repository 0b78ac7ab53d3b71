import { syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";

/** What belongs between the text before the cursor and a name that is inserted there: "total" gets a comma, "SELECT" a space. */
export function separatorBefore(state: EditorState): string {
  const { from } = state.selection.main;
  const before = state.sliceDoc(from - 1, from);
  if (before === ",") return " ";
  if (!/[\w"`)\]}]/.test(before)) return "";
  return syntaxTree(state).resolveInner(from, -1).name === "Keyword" ? " " : ", ";
}
