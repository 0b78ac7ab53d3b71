import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  startCompletion,
} from "@codemirror/autocomplete";
import {
  defaultKeymap,
  history,
  historyKeymap,
  isolateHistory,
  redo,
  toggleComment,
  undo,
} from "@codemirror/commands";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, openSearchPanel, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import type { TextPosition } from "@querybell/domain";
import { type Ref, useEffect, useImperativeHandle, useRef } from "react";
import { styleNonce } from "../app/nonce.ts";
import { editorKey } from "../shortcuts/shortcuts.ts";
import classes from "./editor.module.css";
import { editorTheme } from "./editor-theme.ts";
import { enterAfterWord } from "./enter-after-word.ts";
import { insertName } from "./insert-name.ts";
import { prepareTyping } from "./prepare-typing.ts";
import { typeOverSelection } from "./type-over-selection.ts";

/** An error in the text. Without a position it concerns the whole text, and nothing is marked. */
export interface TextError {
  message: string;
  position?: TextPosition | undefined;
}

export interface CodeEditorHandle {
  /** Inserts a name at the cursor, separated from what is around it, and moves the cursor behind it. */
  insert(name: string): void;
  /** Replaces the whole text. */
  setText(text: string): void;
  focus(): void;
}

interface CodeEditorProps {
  /** The text. A caller that does not update it on `onChange` sets later texts through the handle. */
  value: string;
  onChange: (value: string) => void;
  /** The accessible name. */
  label: string;
  /** The language and other extensions. A new array reconfigures the editor. */
  extensions?: Extension;
  marks?: readonly TextError[];
  onRun?: (() => void) | undefined;
  onSave?: (() => void) | undefined;
  /** Whether it gets the focus as soon as it is there, unless a field has it. */
  isFocused?: boolean | undefined;
  ref?: Ref<CodeEditorHandle>;
}

/** CodeMirror as a React component. */
export function CodeEditor({
  value,
  onChange,
  label,
  extensions = [],
  marks = [],
  onRun,
  onSave,
  isFocused,
  ref,
}: CodeEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const language = useRef(new Compartment());
  const handlers = useRef({ onChange, onRun, onSave });
  handlers.current = { onChange, onRun, onSave };
  const start = useRef({ value, label, extensions, isFocused });

  useEffect(() => {
    if (!place.current) return;
    const created = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: start.current.value,
        extensions: [
          ...fixed,
          EditorView.cspNonce.of(styleNonce ?? ""),
          // Editable content can be focused without it, but accessibility checkers expect the attribute.
          EditorView.contentAttributes.of({ "aria-label": start.current.label, tabindex: "0" }),
          keymap.of([
            {
              key: editorKey("run"),
              run: (editor) => {
                closeCompletion(editor);
                return call(handlers.current.onRun);
              },
            },
            { key: editorKey("save"), run: () => call(handlers.current.onSave), preventDefault: true },
            ...keys,
          ]),
          EditorView.updateListener.of((update) => {
            // Not what is typed into the copy that `prepareTyping` makes.
            if (update.docChanged && update.view === created)
              handlers.current.onChange(update.state.doc.toString());
          }),
          language.current.of(start.current.extensions),
        ],
      }),
    });
    view.current = created;
    // After the frame, which moves the focus to the start of a new page.
    if (start.current.isFocused) {
      requestAnimationFrame(() => {
        if (!isInField()) created.focus();
      });
    }
    const preparation = prepareTyping(created);
    return () => {
      preparation.cancel();
      created.destroy();
    };
  }, []);

  useEffect(() => {
    view.current?.dispatch({ effects: language.current.reconfigure(extensions) });
  }, [extensions]);

  useEffect(() => {
    if (view.current) setText(view.current, value);
  }, [value]);

  useEffect(() => {
    const editor = view.current;
    if (editor) editor.dispatch(setDiagnostics(editor.state, diagnosticsOf(editor.state, marks)));
  }, [marks]);

  useImperativeHandle(ref, () => ({
    insert(name) {
      const editor = view.current;
      if (!editor) return;
      editor.dispatch(insertName(editor.state, name));
      editor.focus();
    },
    setText(text) {
      if (view.current) setText(view.current, text);
    },
    focus: () => view.current?.focus(),
  }));

  return <div ref={place} className={`${classes.editor} ${classes.contained}`} />;
}

// Without drawSelection: it draws the cursor as a layer with an animation, which restarts at each typed key.
const fixed: Extension[] = [
  lineNumbers(),
  highlightActiveLineGutter(),
  highlightSpecialChars(),
  history(),
  indentOnInput(),
  bracketMatching(),
  closeBrackets(),
  typeOverSelection,
  enterAfterWord,
  autocompletion({ icons: false }),
  highlightActiveLine(),
  highlightSelectionMatches(),
  lintGutter(),
  EditorView.lineWrapping,
  editorTheme,
];

// Tab is not bound: it moves the focus, as in every other field.
const keys = [
  { key: editorKey("complete"), run: startCompletion },
  { key: editorKey("comment"), run: toggleComment },
  { key: editorKey("find"), run: openSearchPanel, scope: "editor search-panel" },
  { key: editorKey("undo"), run: undo, preventDefault: true },
  { key: editorKey("redo"), run: redo, preventDefault: true },
  ...closeBracketsKeymap,
  ...defaultKeymap,
  ...searchKeymap,
  ...historyKeymap,
  ...completionKeymap,
];

function setText(editor: EditorView, text: string): void {
  if (editor.state.doc.toString() === text) return;
  editor.dispatch({
    changes: { from: 0, to: editor.state.doc.length, insert: text },
    // Undo does not take what was typed just before or after it along.
    annotations: isolateHistory.of("full"),
  });
}

function call(handler: (() => void) | undefined): boolean {
  handler?.();
  return handler !== undefined;
}

function diagnosticsOf(state: EditorState, marks: readonly TextError[]): Diagnostic[] {
  return marks.flatMap(({ message, position }) => {
    if (!position || position.line > state.doc.lines) return [];
    const line = state.doc.line(position.line);
    const from = Math.min(line.to, line.from + position.column - 1);
    const word = state.wordAt(from);
    return [
      {
        from,
        to: Math.max(word?.to ?? from, Math.min(line.to, from + 1)),
        severity: "error" as const,
        message,
      },
    ];
  });
}

/** Whether the focus is in a field, such as that of the palette, which was opened while the editor was loaded. */
const isInField = (): boolean => document.activeElement?.matches("input, textarea, select") ?? false;
