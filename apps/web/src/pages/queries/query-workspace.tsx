import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { Suspense, useEffect, useRef, useState } from "react";
import { trpc } from "../../api.ts";
import { defaultEngine } from "../../engines/engines.ts";
import { FailedRun, RunProgress } from "../../runs/run-progress.tsx";
import { unfinishedRunOf, useRun } from "../../runs/use-run.ts";
import { shortcutText } from "../../shortcuts/shortcuts.ts";
import { useShortcut } from "../../shortcuts/use-shortcut.ts";
import type { CodeEditorHandle } from "../../sql/code-editor.tsx";
import { formatSql } from "../../sql/format-sql.ts";
import { LeaveDialog } from "../../ui/confirm-modal.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { ParameterBar } from "./parameter-bar.tsx";
import { QueryEditor, QuerySchema } from "./query-editor.tsx";
import { QueryHeading } from "./query-heading.tsx";
import classes from "./query-page.module.css";
import { QueryTabs } from "./query-tabs.tsx";
import { type Database, QueryToolbar } from "./query-toolbar.tsx";
import type { Statement } from "./statement.ts";
import { useParameters } from "./use-parameters.ts";
import { useLatestFailure, useQueryActions } from "./use-query-actions.ts";
import { type Query, useSaving } from "./use-saving.ts";
import { useStatement, useStatementValue } from "./use-statement.ts";
import type { ChosenSchema } from "./use-tables.ts";

const ConflictDialog = lazyPart(async () => (await import("./conflict-dialog.tsx")).ConflictDialog);

interface QueryWorkspaceProps {
  /** Undefined: a new query, saved for the first time by saving or running it. */
  query?: Query;
  databases: readonly Database[];
}

/**
 * The editor, the parameters and the tabs of a query. Typing does not render it again, not even the first
 * key.
 */
export function QueryWorkspace({ query, databases }: QueryWorkspaceProps) {
  const queries = useQueryClient();
  const editor = useRef<CodeEditorHandle>(null);
  const { statement, moveDraft } = useStatement(query, databases[0]?.id ?? "");
  const [chosenSchema, setChosenSchema] = useState<ChosenSchema>();
  const databaseId = useStatementValue(statement, databaseOf);
  const database = databases.find(({ id }) => id === databaseId);
  const engine = database?.engine ?? defaultEngine;
  const parameters = useParameters(query, statement);
  const saving = useSaving(query);
  const { marks, setMarks, hasConflict, closeConflict } = saving;
  const watched = useRun(unfinishedRunOf(query));
  const latestFailure = useLatestFailure(query, watched);
  const parts = { query, statement, moveDraft, parameters, watched, saving };
  const { save, run, hasUnsavedChanges } = useQueryActions(parts);

  /** Changes the text from outside the editor. */
  const replaceSql = (sql: string) => {
    statement.edit({ sql });
    editor.current?.setText(sql);
  };
  const onType = (sql: string) => {
    if (sql !== statement.sql) statement.edit({ sql });
    if (marks.length > 0) setMarks([]);
  };
  const discard = () => {
    statement.discard();
    editor.current?.setText(statement.sql);
  };
  // Without a draft, the editor shows the saved statement, also after another user has saved it.
  const savedSql = query?.sql;
  useEffect(() => {
    if (savedSql !== undefined && !statement.draft) editor.current?.setText(savedSql);
  }, [statement, savedSql]);

  const format = async () => {
    try {
      replaceSql(await formatSql(statement.sql, engine));
    } catch {
      notifications.show({
        color: "red",
        title: "Not formatted",
        message: "The SQL cannot be read yet. Finish it first.",
      });
    }
    editor.current?.focus();
  };

  useShortcut("run", () => void run());
  useShortcut("save", () => void save());

  return (
    <div className={classes.page}>
      <QueryHeading query={query} statement={statement} onDiscard={discard} />
      <div className={classes.workspace}>
        <aside className={classes.side}>
          <QuerySchema
            database={database}
            chosen={chosenSchema}
            onChoose={setChosenSchema}
            onInsert={(text) => editor.current?.insert(text)}
          />
        </aside>
        <div className={classes.main}>
          <QueryToolbar
            databases={databases}
            database={database}
            onDatabase={(id) => statement.edit({ databaseId: id })}
            onFormat={() => void format()}
            onSave={() => void save()}
            onRun={() => void run()}
            isSaving={saving.isSaving}
            isRunning={watched.isUnfinished}
            statement={statement}
          />
          <div className={classes.editor}>
            <QueryEditor
              ref={editor}
              database={database}
              chosen={chosenSchema}
              statement={statement}
              onChange={onType}
              marks={marks}
              run={watched.run}
              onRun={() => void run()}
              onSave={() => void save()}
            />
          </div>
          {parameters.placeholders.length > 0 && (
            <ParameterBar query={query} parameters={parameters} onSubmit={() => void run()} />
          )}
          <RunProgress watched={watched} />
          {latestFailure && <FailedRun failure={latestFailure} />}
          {query ? (
            <QueryTabs
              query={query}
              statement={statement}
              engine={engine}
              watchedRunId={watched.run?.status === "completed" ? watched.run.id : undefined}
              onBringBack={({ sql, analyticalDatabaseConfigId, version }) => {
                statement.edit({ databaseId: analyticalDatabaseConfigId });
                replaceSql(sql);
                const message = `Version ${version} is in the editor. Save to make it the current one.`;
                notifications.show({ message });
              }}
            />
          ) : (
            <Text c="dimmed" size="sm">
              Write a statement and press {shortcutText("run")}: it is saved, and its result appears here.
            </Text>
          )}
        </div>
      </div>
      {hasConflict && query && (
        <Suspense fallback={null}>
          <ConflictDialog
            queryId={query.id}
            sql={statement.sql}
            engine={engine}
            onClose={closeConflict}
            onDiscard={() => {
              discard();
              closeConflict();
              void queries.invalidateQueries(trpc.queries.get.queryFilter({ id: query.id }));
            }}
            onSave={async (sql, version) => {
              closeConflict();
              replaceSql(sql);
              await save({ sql, databaseId, version });
            }}
          />
        </Suspense>
      )}
      <LeaveDialog hasUnsavedChanges={hasUnsavedChanges}>
        Your changes are kept as a draft in this browser and are here when you come back. Nobody else sees
        them.
      </LeaveDialog>
    </div>
  );
}

const databaseOf = (statement: Statement): string => statement.databaseId;
