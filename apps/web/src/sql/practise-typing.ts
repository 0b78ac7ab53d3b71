import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import classes from "./editor.module.css";

/** The browser compiles a function when it first runs, and optimizes it when it has run several times. */
const practiceKeys = 10;
const practiceLines = 12;
/** A step takes as long on a slow machine. While something moves on the page, the browser never has so much time. */
const stepMs = 30;

/**
 * Types some letters into an invisible copy of an editor while the browser is idle, so that the first keys of a person
 * find the code compiled: reading the change from the page, changing the state, drawing, measuring. The first eight took
 * up to twice as long. Ends when the person types.
 */
export function practiseTyping({ dom, state }: EditorView, extensions: Extension): { cancel: () => void } {
  let id = 0;
  let copy: EditorView | undefined;
  let keysLeft = practiceKeys;

  const wait = () => {
    id = requestIdleCallback((deadline) => {
      if (deadline.timeRemaining() < stepMs) wait();
      else step();
    });
  };
  const step = () => {
    if (!copy) {
      copy = createHidden(dom, state, extensions);
      return wait();
    }
    const { node, offset } = copy.domAtPos(copy.state.doc.line(1).to);
    if (keysLeft === 0 || !(node instanceof Text)) return end();
    node.insertData(offset, "a");
    keysLeft--;
    wait();
  };
  const end = () => {
    cancelIdleCallback(id);
    dom.removeEventListener("beforeinput", end);
    copy?.dom.parentElement?.remove();
    copy?.destroy();
  };
  dom.addEventListener("beforeinput", end);
  wait();
  return { cancel: end };
}

/** An editor with the first lines of the text. */
function createHidden(place: HTMLElement, { doc }: EditorState, extensions: Extension): EditorView {
  const parent = document.createElement("div");
  parent.className = classes.practice ?? "";
  place.append(parent);
  const text = doc.sliceString(0, doc.line(Math.min(practiceLines, doc.lines)).to);
  return new EditorView({ parent, state: EditorState.create({ doc: text, extensions }) });
}
