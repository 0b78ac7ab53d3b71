import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import classes from "./editor.module.css";

/** The browser compiles a function when it first runs, and optimizes it when it has run several times. */
const practiceKeys = 10;
const practiceLines = 12;

/**
 * Types some letters into an invisible copy of an editor while the browser is idle, so that the first keys of a person
 * find the code compiled: reading the change from the page, changing the state, drawing, measuring. The first eight took
 * up to twice as long. Ends when the person types.
 */
export function practiseTyping({ dom, state }: EditorView, extensions: Extension): { cancel: () => void } {
  const hidden = document.createElement("div");
  hidden.className = classes.practice ?? "";
  dom.append(hidden);
  const text = state.doc.sliceString(0, state.doc.line(Math.min(practiceLines, state.doc.lines)).to);
  const view = new EditorView({ parent: hidden, state: EditorState.create({ doc: text, extensions }) });
  let keysLeft = practiceKeys;
  let id = 0;
  const type = () => {
    const { node, offset } = view.domAtPos(view.state.doc.line(1).to);
    if (node instanceof Text) node.insertData(offset, "a");
    keysLeft--;
    id = requestIdleCallback(keysLeft > 0 && node instanceof Text ? type : end);
  };
  const end = () => {
    cancelIdleCallback(id);
    dom.removeEventListener("beforeinput", end);
    view.destroy();
    hidden.remove();
  };
  dom.addEventListener("beforeinput", end);
  id = requestIdleCallback(type);
  return { cancel: end };
}
