import { ensureSyntaxTree, language, syntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/** CodeMirror does not parse further than this beyond the visible text. */
const maxParsedLetters = 100_000;
/** A change drops a step that is not finished, and keeps those before it. */
const stepLetters = 5_000;
/** A key that is typed meanwhile waits no longer than this. */
const sliceMs = 8;
/** The browser compiles a function when it first runs, and optimizes it when it has run several times. */
const practiceKeys = 8;

/**
 * Parses the whole text while the browser is idle, and then types some letters into an editor that is not in the page.
 *
 * CodeMirror parses the invisible text in slices of up to 100 ms, and drops unfinished work at each change.
 * On a slow machine it never reached the end of a long statement while somebody typed: every key waited for a
 * slice. Once the text is parsed, a change parses only the text around it. The letters make the browser compile
 * the editor's functions, which takes a third off the first key.
 */
export function prepareTyping(view: EditorView): { cancel: () => void } {
  // Safari does not have it.
  if (!("requestIdleCallback" in globalThis) || !view.state.facet(language)) return { cancel: () => {} };
  let parsedTo = 0;
  let practice: EditorView | undefined;
  let keysLeft = practiceKeys;
  let id = 0;
  const step = (deadline: IdleDeadline) => {
    parsedTo = parseFurther(view.state, parsedTo, Math.min(sliceMs, deadline.timeRemaining()));
    if (parsedTo < lengthOf(view.state)) return wait();
    if (!practice) {
      showTree(view);
      practice = new EditorView({ state: emptied(view.state) });
    }
    typeLetter(practice);
    keysLeft--;
    if (keysLeft > 0) wait();
    else practice.destroy();
  };
  const wait = () => {
    id = requestIdleCallback(step);
  };
  wait();
  return {
    cancel: () => {
      cancelIdleCallback(id);
      practice?.destroy();
    },
  };
}

/** Parses from a place on, for some time. Returns how far the text is parsed. */
export function parseFurther(state: EditorState, from: number, forMs: number): number {
  const end = Date.now() + forMs;
  let parsedTo = from;
  while (parsedTo < lengthOf(state)) {
    const next = Math.min(lengthOf(state), parsedTo + stepLetters);
    if (!ensureSyntaxTree(state, next, Math.max(0, end - Date.now()))) break;
    parsedTo = next;
  }
  return parsedTo;
}

const lengthOf = ({ doc }: EditorState): number => Math.min(maxParsedLetters, doc.length);

/** The view takes over what was parsed, and highlights it. */
function showTree(view: EditorView): void {
  const tree = ensureSyntaxTree(view.state, lengthOf(view.state), 0);
  if (tree !== null && tree !== syntaxTree(view.state)) view.dispatch({});
}

/** The same editor with one letter as its text. */
const emptied = (state: EditorState): EditorState =>
  state.update({ changes: { from: 0, to: state.doc.length, insert: "a" } }).state;

/** What the browser does when a letter is typed: an event, and a change of the document that the editor then reads. */
function typeLetter({ contentDOM }: EditorView): void {
  contentDOM.dispatchEvent(new KeyboardEvent("keydown", { key: "a" }));
  const text = contentDOM.querySelector(".cm-line")?.lastChild;
  if (text instanceof Text) text.appendData("a");
}
