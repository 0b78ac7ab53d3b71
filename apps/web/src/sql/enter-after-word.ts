import { type Completion, closeCompletion, selectedCompletion } from "@codemirror/autocomplete";
import { type EditorState, Prec } from "@codemirror/state";
import { type Command, keymap } from "@codemirror/view";

/** Whether the text before the cursor is what the suggestion would write. Upper and lower case differ only in quotes. */
export function isWritten(state: EditorState, { label, apply = label }: Completion): boolean {
  if (typeof apply !== "string") return false;
  const { head } = state.selection.main;
  const written = state.sliceDoc(Math.max(0, head - apply.length), head);
  return apply.startsWith('"') ? written === apply : written.toLowerCase() === apply.toLowerCase();
}

/** A suggestion that is written already would take the key without changing anything. */
const closeIfWritten: Command = (view) => {
  const suggestion = selectedCompletion(view.state);
  if (suggestion && isWritten(view.state, suggestion)) closeCompletion(view);
  // Enter then does what it does without suggestions.
  return false;
};

/** Enter after a whole word starts a line. Before `autocompletion` in the list of extensions. */
export const enterAfterWord = Prec.highest(keymap.of([{ key: "Enter", run: closeIfWritten }]));
