import { type ComponentProps, useMemo, useState } from "react";
import type { EngineKind } from "../engines/engine.ts";
import { CodeEditor } from "./code-editor.tsx";
import { placeholderMarks } from "./placeholder-marks.ts";
import { sqlLanguage } from "./sql-language.ts";
import type { DatabaseTable } from "./table-completion.ts";

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
