import {
  Decoration,
  type DecorationSet,
  type EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { type ComponentProps, useMemo, useState } from "react";
import type { EngineKind } from "../engines/engine.ts";
import { CodeEditor } from "./code-editor.tsx";
import type { DatabaseTable } from "./described-tables.ts";
import { sqlLanguage } from "./sql-language.ts";

export interface SqlEditorProps
  extends Omit<ComponentProps<typeof CodeEditor>, "value" | "extensions" | "label"> {
  /** The statement to start with. Later texts are set through the handle. */
  initialText: () => string;
  engine: EngineKind;
  tables: readonly DatabaseTable[] | undefined;
}

/** An editor for the SQL of an engine, with completion from the tables of its database. */
export function SqlEditor({ initialText, engine, tables, ...rest }: SqlEditorProps) {
  const [text] = useState(initialText);
  const language = useMemo(() => [sqlLanguage(engine, tables ?? []), placeholderMarks], [engine, tables]);
  return <CodeEditor label="SQL" value={text} extensions={language} {...rest} />;
}

const matcher = new MatchDecorator({
  regexp: /\{\{\s*[A-Za-z_]\w*\s*\}\}/g,
  decoration: Decoration.mark({ class: "cm-placeholder-name" }),
});

/** Highlights placeholders in the visible lines. */
const placeholderMarks = ViewPlugin.fromClass(
  class {
    marks: DecorationSet;
    constructor(view: EditorView) {
      this.marks = matcher.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.marks = matcher.updateDeco(update, this.marks);
    }
  },
  { decorations: (plugin) => plugin.marks },
);
