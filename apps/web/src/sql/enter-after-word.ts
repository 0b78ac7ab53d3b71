import { closeCompletion, selectedCompletion } from "@codemirror/autocomplete";
import { Prec } from "@codemirror/state";
import { type Command, keymap } from "@codemirror/view";

/** A suggestion that is written already would take the key without changing anything. */
const closeIfWritten: Command = (view) => {
  const label = selectedCompletion(view.state)?.label;
  const { head } = view.state.selection.main;
  if (label === undefined) return false;
  const written = view.state.sliceDoc(head - label.length, head);
  if (written.toLowerCase() === label.toLowerCase()) closeCompletion(view);
  // Enter then does what it does without suggestions.
  return false;
};

/** Enter after a whole word starts a line. Before `autocompletion` in the list of extensions. */
export const enterAfterWord = Prec.highest(keymap.of([{ key: "Enter", run: closeIfWritten }]));
