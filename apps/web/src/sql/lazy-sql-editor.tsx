import { Suspense } from "react";
import { lazyPart } from "../ui/lazy-part.tsx";
import classes from "./editor.module.css";
import type { SqlEditorProps } from "./sql-editor.tsx";

const SqlEditor = lazyPart(async () => (await import("./sql-editor.tsx")).SqlEditor);

/** The editor, whose libraries are large: until they are loaded, the statement can be read in its place. */
export const LazySqlEditor = (props: SqlEditorProps) => (
  <Suspense fallback={<pre className={`${classes.editor} ${classes.preview}`}>{props.initialText()}</pre>}>
    <SqlEditor {...props} />
  </Suspense>
);
