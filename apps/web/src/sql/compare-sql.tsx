import { MergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { styleNonce } from "../app/nonce.ts";
import type { EngineKind } from "../engines/engine.ts";
import classes from "./compare-sql.module.css";
import editor from "./editor.module.css";
import { editorTheme } from "./editor-theme.ts";
import { sqlLanguage } from "./sql-language.ts";

interface CompareSqlProps {
  before: { label: string; sql: string };
  after: { label: string; sql: string };
  engine: EngineKind;
  /** With it, the statement at the right can be edited. */
  onChange?: (sql: string) => void;
}

/** Two statements side by side, their differences marked. */
export function CompareSql({ before, after, engine, onChange }: CompareSqlProps) {
  const place = useRef<HTMLDivElement>(null);
  const handler = useRef(onChange);
  handler.current = onChange;
  const isEditable = onChange !== undefined;
  const start = useRef({ before, after });
  start.current = { before, after: isEditable ? start.current.after : after };
  const key = `${before.sql}\0${isEditable ? "" : after.sql}`;

  useEffect(() => {
    if (!place.current || key === "") return;
    const { before, after } = start.current;
    const common = [
      lineNumbers(),
      EditorView.lineWrapping,
      editorTheme,
      sqlLanguage(engine, []),
      EditorView.cspNonce.of(styleNonce ?? ""),
    ];
    const fixed = [EditorState.readOnly.of(true)];
    const view = new MergeView({
      parent: place.current,
      collapseUnchanged: { margin: 3, minSize: 6 },
      a: {
        doc: before.sql,
        extensions: [common, fixed, EditorView.contentAttributes.of({ "aria-label": before.label })],
      },
      b: {
        doc: after.sql,
        extensions: [
          common,
          isEditable ? [] : fixed,
          EditorView.contentAttributes.of({ "aria-label": after.label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) handler.current?.(update.state.doc.toString());
          }),
        ],
      },
    });
    return () => view.destroy();
  }, [key, engine, isEditable]);

  return (
    <div>
      <div className={classes.labels}>
        <span>{before.label}</span>
        <span>{after.label}</span>
      </div>
      <div ref={place} className={`${editor.editor} ${classes.compare}`} />
    </div>
  );
}
