import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useEffect, useRef, useState } from "react";
import { defaultEngine } from "../../engines/engines.ts";
import { FailedRun, RunProgress } from "../../runs/run-progress.tsx";
import { unfinishedRunOf, useRun } from "../../runs/use-run.ts";
import { shortcutText } from "../../shortcuts/shortcuts.ts";
import { useShortcut } from "../../shortcuts/use-shortcut.ts";
import type { CodeEditorHandle } from "../../sql/code-editor.tsx";
import { formatSql } from "../../sql/format-sql.ts";
import type { ServerDraft } from "./drafts/draft-on-server.ts";
import { DraftConflict, DraftState } from "./drafts/draft-state.tsx";
import { useDraft } from "./drafts/use-draft.ts";
import { completedTrial, latestRunOf, useRanText, useTrial } from "./drafts/use-trial.ts";
import { HelpButton, HelpedEditor } from "./help/helped-editor.tsx";
import { ParameterBar } from "./parameter-bar.tsx";
import { QueryDialogs } from "./query-dialogs.tsx";
import { QueryEditor, QuerySchema } from "./query-editor.tsx";
import { QueryHeading } from "./query-heading.tsx";
import classes from "./query-page.module.css";
import { QueryResult } from "./query-result.tsx";
import { QueryTabs } from "./query-tabs.tsx";
import { type Database, QueryToolbar } from "./query-toolbar.tsx";
import type { Statement } from "./statement.ts";
import { useDiscard } from "./use-discard.ts";
import { useParameters } from "./use-parameters.ts";
import { useLatestFailure, useQueryActions } from "./use-query-actions.ts";
import { type Query, useSaving } from "./use-saving.ts";
import { useStatementValue } from "./use-statement.ts";
import type { ChosenSchema } from "./use-tables.ts";

interface QueryWorkspaceProps {
  /** Undefined: a new query, which nobody else sees until it is saved with a name. */
  query?: Query;
  /** The unsaved text of this person, if there is one. */
  draft: ServerDraft | undefined;
  databases: readonly Database[];
  /** Called when the draft of a new query has got its id. */
  onCreated?: (draftId: string) => void;
}

/**
 * The editor, the parameters and the tabs of a query. Typing does not render it again, not even the first
 * key.
 */
export function QueryWorkspace({ query, draft, databases, onCreated }: QueryWorkspaceProps) {
  const editor = useRef<CodeEditorHandle>(null);
  const firstDatabaseId = databases[0]?.id ?? "";
  const { statement, sync } = useDraft({ query, draft, firstDatabaseId, editor, onCreated });
  const [trial, setTrial] = useTrial(draft);
  const [chosenSchema, setChosenSchema] = useState<ChosenSchema>();
  const [isHelping, setHelping] = useState(false);
  const [isReviewing, setReviewing] = useState(false);
  const databaseId = useStatementValue(statement, databaseOf);
  const database = databases.find(({ id }) => id === databaseId);
  const engine = database?.engine ?? defaultEngine;
  const parameters = useParameters(query, statement);
  const saving = useSaving(query, sync);
  const { marks, setMarks } = saving;
  const isTrialUnfinished = trial?.status === "pending" || trial?.status === "running";
  const watched = useRun(isTrialUnfinished ? trial.runId : unfinishedRunOf(query));
  const ran = useRanText(query, trial, watched);
  const actions = useQueryActions({
    query,
    statement,
    sync,
    parameters,
    watched,
    saving,
    ran,
    onTrial: setTrial,
  });
  const { run, isRunOf, isOfPage } = actions;
  const latestFailure = useLatestFailure(latestRunOf(query, trial), watched, isOfPage);
  const forgetTrial = () => {
    if (!trial) return;
    setTrial(undefined);
    watched.forget();
  };
  const save = async (version?: number) => {
    await actions.save(version);
    // The query has its run now.
    if (query && !statement.isUnsaved) forgetTrial();
  };

  /** Shows a text after a button was pressed that is gone now: the editor gets the focus. */
  const showText = (sql: string) => {
    editor.current?.setText(sql);
    editor.current?.focus();
  };
  /** Changes the text from outside the editor. */
  const replaceSql = (sql: string) => {
    statement.edit({ sql });
    editor.current?.setText(sql);
  };
  /** Not while a suggestion is reviewed in the place of the editor: nobody would see the change. */
  const changeText = (change: () => void) => {
    if (!(isHelping && isReviewing)) change();
    else notifications.show({ message: "Accept or reject the suggested SQL first." });
  };
  const acceptHelp = (sql: string) => {
    replaceSql(sql);
    // After the editor is shown again.
    requestAnimationFrame(() => editor.current?.focus());
  };
  const onType = (sql: string) => {
    if (sql !== statement.sql) statement.edit({ sql });
    if (marks.length > 0) setMarks([]);
  };
  const discardDraft = useDiscard({
    isNew: !query,
    name: draft?.name ?? null,
    statement,
    sync,
    show: () => showText(statement.sql),
  });
  const discard = () => {
    forgetTrial();
    discardDraft();
  };
  // Without a draft, the editor shows the saved statement, also after another user has saved it.
  const savedSql = query?.sql;
  useEffect(() => {
    if (savedSql !== undefined && !statement.draft) editor.current?.setText(savedSql);
  }, [statement, savedSql]);

  const format = async () => {
    const { sql } = statement;
    try {
      const formatted = await formatSql(sql, engine);
      // What was typed while the formatter was loaded is kept.
      if (statement.sql === sql) replaceSql(formatted);
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

  const watchedRun = watched.run;
  const isWatchedShown = !watchedRun || isOfPage(watchedRun);
  const isShownRun = watchedRun?.status === "completed" && watchedRun.id !== trial?.runId;
  const shown = {
    runId: isShownRun && isRunOf(watchedRun, parameters.valuesInAddress) ? watchedRun.id : undefined,
    trialId: completedTrial(trial, watched),
    ran: trial?.ran,
  };

  return (
    <div className={classes.page}>
      <QueryHeading query={query} draftName={draft?.name ?? null}>
        <DraftState isNew={!query} statement={statement} sync={sync} onDiscard={discard} />
      </QueryHeading>
      <DraftConflict statement={statement} sync={sync} onChosen={() => showText(statement.sql)} />
      <div className={classes.workspace}>
        <aside className={classes.side}>
          <QuerySchema
            database={database}
            chosen={chosenSchema}
            onChoose={setChosenSchema}
            onInsert={(text) => changeText(() => editor.current?.insert(text))}
          />
        </aside>
        <div className={classes.main}>
          <QueryToolbar
            databases={databases}
            database={database}
            onDatabase={(id) => statement.edit({ databaseId: id })}
            onFormat={() => changeText(() => void format())}
            onSave={() => void save()}
            onRun={() => void run()}
            isSaving={saving.isSaving}
            isRunning={watched.isUnfinished && isWatchedShown}
            help={<HelpButton isOpen={isHelping} onToggle={() => setHelping(!isHelping)} />}
          />
          <HelpedEditor
            isOpen={isHelping}
            isReviewing={isReviewing}
            onReview={setReviewing}
            statement={statement}
            databaseId={databaseId}
            engine={engine}
            schema={chosenSchema?.databaseId === databaseId ? chosenSchema.schema : undefined}
            error={(watched.run?.failure ?? latestFailure)?.message}
            onAccept={acceptHelp}
            onClose={() => setHelping(false)}
          >
            <div className={classes.editor}>
              <QueryEditor
                ref={editor}
                database={database}
                chosen={chosenSchema}
                statement={statement}
                onChange={onType}
                marks={marks}
                run={watchedRun}
                ran={ran}
                onRun={() => void run()}
                onSave={() => void save()}
              />
            </div>
          </HelpedEditor>
          {parameters.placeholders.length > 0 && (
            <ParameterBar
              query={query}
              statement={statement}
              parameters={parameters}
              onSubmit={() => void run()}
            />
          )}
          {isWatchedShown && <RunProgress watched={watched} />}
          {latestFailure && <FailedRun failure={latestFailure} />}
          {query && (
            <QueryTabs
              query={query}
              statement={statement}
              engine={engine}
              shown={shown}
              parameters={parameters}
              onRun={() => void run()}
              onBringBack={({ sql, analyticalDatabaseConfigId, version }) =>
                changeText(() => {
                  statement.edit({ databaseId: analyticalDatabaseConfigId });
                  replaceSql(sql);
                  const message = `Version ${version} is in the editor. Save to make it the current one.`;
                  notifications.show({ message });
                })
              }
            />
          )}
          {!query && shown.trialId !== undefined && (
            <QueryResult
              shown={shown}
              statement={statement}
              parameters={parameters}
              onRun={() => void run()}
            />
          )}
          {!query && trial === undefined && (
            <Text c="dimmed" size="sm">
              Write a statement and press {shortcutText("run")}: its result appears here, and only you see it.
              Save the query to share it.
            </Text>
          )}
        </div>
      </div>
      <QueryDialogs
        query={query}
        draftName={draft?.name ?? null}
        statement={statement}
        engine={engine}
        saving={saving}
        actions={actions}
        onDiscard={discard}
        onSave={(sql, version) => {
          replaceSql(sql);
          return save(version);
        }}
      />
    </div>
  );
}

const databaseOf = (statement: Statement): string => statement.databaseId;
