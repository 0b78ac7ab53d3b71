import { unifiedMergeView } from "@codemirror/merge";
import { EditorState } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { styleNonce } from "../app/nonce.ts";
import type { EngineKind } from "../engines/engine.ts";
import editor from "./editor.module.css";
import { editorTheme } from "./editor-theme.ts";
import { sqlLanguage } from "./sql-language.ts";

interface ReviewSqlProps {
  before: string;
  after: string;
  engine: EngineKind;
  /** The accessible name. */
  label: string;
}

/** A changed statement in one column: what is new is marked, and what is removed stands above it. */
export function ReviewSql({ before, after, engine, label }: ReviewSqlProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return;
    const view = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: after,
        extensions: [
          lineNumbers(),
          EditorView.lineWrapping,
          editorTheme,
          sqlLanguage(engine, []),
          EditorState.readOnly.of(true),
          EditorView.cspNonce.of(styleNonce ?? ""),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          unifiedMergeView({ original: before, mergeControls: false }),
        ],
      }),
    });
    return () => view.destroy();
  }, [before, after, engine, label]);
  return <div ref={place} className={editor.editor} />;
}
