import { useRouter } from "@tanstack/react-router";
import { type ComponentProps, Suspense, useMemo, useState } from "react";
import { defaultEngine, engines } from "../../engines/engines.ts";
import type { WatchedRun } from "../../runs/use-run.ts";
import type { TextError } from "../../sql/code-editor.tsx";
import { LazySqlEditor } from "../../sql/lazy-sql-editor.tsx";
import { SchemaTree } from "../../sql/schema-tree.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { type Trial, useIsTextOf } from "./drafts/use-trial.ts";
import type { Database } from "./query-toolbar.tsx";
import type { Statement } from "./statement.ts";
import { type ChosenSchema, useTables } from "./use-tables.ts";

const TableDetails = lazyPart(async () => (await import("./schema/table-details.tsx")).TableDetails);

interface QueryEditorProps
  extends Omit<ComponentProps<typeof LazySqlEditor>, "engine" | "tables" | "initialText" | "marks"> {
  statement: Statement;
  database: Database | undefined;
  chosen: ChosenSchema | undefined;
  /** Why saving the statement was refused. */
  marks: readonly TextError[];
  /** The latest run. If it failed, its error is marked too. */
  run: WatchedRun["run"];
  /** The text that it ran, if it is known. */
  ran: Trial["ran"];
}

/** The editor, which completes the names of the database's tables and marks errors. */
export function QueryEditor({ statement, database, chosen, marks, run, ran, ...rest }: QueryEditorProps) {
  const { tables } = useTables(database, chosen);
  const { isEditorFocused } = useRouter().history.location.state;
  // An error mark is for the statement that ran. In any other, its position would be wrong.
  const shown = useIsTextOf(statement, ran) ? run?.failure : null;
  const runMarks = useMemo<TextError[]>(
    () => (shown ? [{ message: shown.message, position: shown.position }] : []),
    [shown],
  );
  return (
    <LazySqlEditor
      engine={database?.engine ?? defaultEngine}
      tables={tables}
      initialText={() => statement.sql}
      marks={marks.length > 0 ? marks : runMarks}
      isFocused={isEditorFocused || statement.sql === ""}
      {...rest}
    />
  );
}

interface QuerySchemaProps {
  database: Database | undefined;
  chosen: ChosenSchema | undefined;
  onChoose: (chosen: ChosenSchema) => void;
  onInsert: (text: string) => void;
}

/** The tables of the query's database. Read here and not by the page: when they arrive, the page is not drawn again. */
export function QuerySchema({ database, chosen, onChoose, onInsert }: QuerySchemaProps) {
  const { tables, error, refetch, choice, showMore } = useTables(database, chosen);
  const [opened, setOpened] = useState<{ schema: string; name: string }>();
  const choose = (schema: string) => database && onChoose({ databaseId: database.id, schema });
  const { defaultSchema } = engines[database?.engine ?? defaultEngine];
  // Found again in what was read last: somebody may have described it meanwhile.
  const table =
    opened && tables?.find(({ schema, name }) => schema === opened.schema && name === opened.name);
  return (
    <>
      <SchemaTree
        tables={tables}
        error={error}
        onRetry={refetch}
        choice={choice && { ...choice, choose }}
        onMore={showMore}
        defaultSchema={defaultSchema}
        onInsert={onInsert}
        onOpen={setOpened}
      />
      {table && database && (
        <Suspense fallback={null}>
          <TableDetails
            databaseId={database.id}
            table={table}
            defaultSchema={defaultSchema}
            onClose={() => setOpened(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
