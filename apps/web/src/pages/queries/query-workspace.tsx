import { Button, Group, Select, Text, Title, Tooltip } from "@mantine/core";
import { useDocumentTitle, useHotkeys } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { findPlaceholders } from "@querybell/domain/placeholders";
import { IconDeviceFloppy, IconPlayerPlay, IconSparkles } from "@tabler/icons-react";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useDeferredValue, useMemo, useRef, useState } from "react";
import { api, trpc } from "../../api.ts";
import { asFailure } from "../../components/failure.ts";
import { InlineText } from "../../components/inline-text.tsx";
import { LeaveDialog } from "../../components/leave-dialog.tsx";
import { useMe } from "../../components/me.ts";
import { definitionsFor, toGivenValues, type ValueTexts } from "../../components/parameter-values.ts";
import { RunProgress } from "../../components/run-progress.tsx";
import { useRun } from "../../components/use-run.ts";
import { CodeEditor, type CodeEditorHandle, type TextMark } from "../../sql/code-editor.tsx";
import { formatSql } from "../../sql/format-sql.ts";
import { placeholderMarks } from "../../sql/placeholder-marks.ts";
import { SchemaTree } from "../../sql/schema-tree.tsx";
import { defaultSchemaOf, sqlLanguage } from "../../sql/sql-language.ts";
import { ConflictDialog } from "./conflict-dialog.tsx";
import { ParameterBar } from "./parameter-bar.tsx";
import classes from "./query-page.module.css";
import { QueryTabs } from "./query-tabs.tsx";
import { queryTitle } from "./query-title.ts";
import { SaveState } from "./save-state.tsx";
import { useDraft } from "./use-draft.ts";
import { type Query, useSaving } from "./use-saving.ts";
import { useTables } from "./use-tables.ts";

type Database = Outputs["databases"]["list"][number];

interface QueryWorkspaceProps {
  /** Undefined: a new query, saved for the first time by saving or running it. */
  query?: Query;
  databases: readonly Database[];
}

const isMac = typeof navigator !== "undefined" && /Mac|iP(?:hone|ad)/.test(navigator.platform);
const command = isMac ? "⌘" : "Ctrl";

export function QueryWorkspace({ query, databases }: QueryWorkspaceProps) {
  const { organization } = useMe();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const editor = useRef<CodeEditorHandle>(null);
  const { draft, setDraft, discard } = useDraft(organization.organizationId, query?.id ?? "new");
  const [values, setValues] = useState<ValueTexts>({});
  const [valueErrors, setValueErrors] = useState<Record<string, string>>({});
  const { save, isSaving, marks, setMarks, hasConflict, closeConflict } = useSaving(query);
  const unfinished =
    query?.latestRun && ["pending", "running"].includes(query.latestRun.status)
      ? query.latestRun.id
      : undefined;
  const watched = useRun(unfinished);

  const sql = draft?.sql ?? query?.sql ?? "";
  const databaseId = draft?.databaseId ?? query?.analyticalDatabaseConfigId ?? databases[0]?.id ?? "";
  const database = databases.find(({ id }) => id === databaseId);
  const engine = database?.engine ?? "postgres";
  const isUnsaved =
    draft !== undefined &&
    (draft.sql !== (query?.sql ?? "") || draft.databaseId !== query?.analyticalDatabaseConfigId);
  const hasWork = isUnsaved && sql.trim() !== "";
  const title = query ? queryTitle(query) : "New query";
  useDocumentTitle(`${title} · Querybell`);

  const edit = (changed: { sql?: string; databaseId?: string }) => {
    setDraft((before) => ({
      sql: changed.sql ?? before?.sql ?? sql,
      databaseId: changed.databaseId ?? before?.databaseId ?? databaseId,
      version: before?.version ?? query?.version ?? 0,
      at: new Date().toISOString(),
    }));
    if (marks.length > 0) setMarks([]);
  };

  const leaving = useRef(false);

  const { tables, ...listing } = useTables(database);
  const language = useMemo(() => [sqlLanguage(engine, tables ?? []), placeholderMarks], [engine, tables]);
  // Found a moment after they are typed: the key itself comes first.
  const typed = useDeferredValue(sql);
  const placeholders = useMemo(() => findPlaceholders(typed), [typed]);
  const known = useQuery(
    trpc.queries.definitions.queryOptions(
      { id: query?.id ?? "", names: placeholders.slice(0, 100) },
      { enabled: query !== undefined && placeholders.length > 0, placeholderData: keepPreviousData },
    ),
  );
  const definitions = useMemo(
    () => definitionsFor(placeholders, known.data ?? []),
    [placeholders, known.data],
  );

  const store = async (changed = { sql, databaseId, version: draft?.version ?? query?.version ?? 0 }) => {
    const saved = await save(changed);
    if (!saved) return undefined;
    leaving.current = true;
    discard();
    return saved.id;
  };

  /** A new query has an address from now on. */
  const settle = async (id: string) => {
    if (!query) await navigate({ to: "/queries/$queryId", params: { queryId: id }, replace: true });
    leaving.current = false;
  };

  const saveNow = async (changed?: Parameters<typeof store>[0]) => {
    const id = await store(changed);
    if (id !== undefined) await settle(id);
  };

  const run = async () => {
    if (sql.trim() === "" || isSaving || watched.isUnfinished) return;
    setValueErrors({});
    const id = isUnsaved || !query ? await store() : query.id;
    if (id === undefined) return;
    try {
      const started = await api.queries.run.mutate({
        id,
        parameterValues: toGivenValues(definitions, values),
      });
      if (query) watched.watch(started.id);
      void queries.invalidateQueries(trpc.queries.get.queryFilter({ id }));
      void queries.invalidateQueries(trpc.runs.list.queryFilter());
    } catch (error) {
      const { message, fields } = asFailure(error);
      setValueErrors(
        Object.fromEntries(
          Object.entries(fields).map(([path, words]) => [path.replace(/^parameterValues\./, ""), words]),
        ),
      );
      notifications.show({ color: "red", title: "Not run", message });
    }
    // Only now: the page of a new query finds its run when it reads the query.
    await settle(id);
  };

  const format = async () => {
    try {
      edit({ sql: await formatSql(sql, engine) });
    } catch {
      notifications.show({
        color: "red",
        title: "Not formatted",
        message: "The SQL cannot be read yet. Finish it first.",
      });
    }
    editor.current?.focus();
  };

  useHotkeys([
    ["mod+Enter", () => void run()],
    ["mod+S", () => void saveNow()],
  ]);

  // A mark belongs to the statement that ran; once that is edited, it would point somewhere else.
  const failure = watched.run?.failure;
  const runMarks = useMemo<TextMark[]>(
    () => (failure && !isUnsaved ? [{ message: failure.message, position: failure.position }] : []),
    [failure, isUnsaved],
  );

  return (
    <div className={classes.page}>
      <Group gap="sm">
        {query ? (
          <InlineText
            value={query.name ?? ""}
            what="name"
            placeholder="A name for this query"
            onSave={async (name) => {
              const changed = name.trim() === "" ? null : name;
              const saved = await api.queries.update.mutate({ id: query.id, name: changed });
              queries.setQueryData(trpc.queries.get.queryKey({ id: query.id }), {
                ...query,
                name: saved.name,
              });
              void queries.invalidateQueries(trpc.queries.list.queryFilter());
            }}
          >
            <Title order={1} size="h3" lineClamp={1}>
              {title}
            </Title>
          </InlineText>
        ) : (
          <Title order={1} size="h3">
            {title}
          </Title>
        )}
        <SaveState isNew={!query} isUnsaved={isUnsaved} onDiscard={discard} />
      </Group>
      <div className={classes.workspace}>
        <aside className={classes.side}>
          <SchemaTree
            tables={tables}
            error={listing.error}
            onRetry={listing.refetch}
            choice={listing.choice}
            onMore={listing.showMore}
            defaultSchema={defaultSchemaOf(engine)}
            onInsert={(text) => editor.current?.insert(text)}
          />
        </aside>
        <div className={classes.main}>
          <Group gap="xs" className={classes.toolbar ?? ""}>
            <Select
              aria-label="Database"
              w={200}
              mr="auto"
              allowDeselect={false}
              data={databases.map(({ id, name }) => ({ value: id, label: name }))}
              value={database ? databaseId : null}
              placeholder="Deleted database"
              onChange={(value) => value !== null && edit({ databaseId: value })}
            />
            <Button variant="default" leftSection={<IconSparkles size={16} />} onClick={() => void format()}>
              Format
            </Button>
            <Tooltip label={`${command}-S`}>
              <Button
                variant="default"
                leftSection={<IconDeviceFloppy size={16} />}
                loading={isSaving}
                onClick={() => void saveNow()}
              >
                Save
              </Button>
            </Tooltip>
            <Tooltip label={`${command}-Enter${isUnsaved ? ", saves first" : ""}`}>
              <Button
                leftSection={<IconPlayerPlay size={16} />}
                onClick={() => void run()}
                data-running={watched.isUnfinished}
              >
                Run
              </Button>
            </Tooltip>
          </Group>
          <div className={classes.editor}>
            <CodeEditor
              ref={editor}
              label="SQL"
              value={sql}
              onChange={(text) => edit({ sql: text })}
              extensions={language}
              marks={marks.length > 0 ? marks : runMarks}
              onRun={() => void run()}
              onSave={() => void saveNow()}
            />
          </div>
          {placeholders.length > 0 && (
            <ParameterBar
              query={query}
              placeholders={placeholders}
              definitions={definitions}
              values={values}
              onChange={setValues}
              errors={valueErrors}
              onSubmit={() => void run()}
            />
          )}
          <RunProgress watched={watched} />
          {query && (
            <QueryTabs
              query={query}
              sql={sql}
              engine={engine}
              watchedRunId={watched.run?.status === "completed" ? watched.run.id : undefined}
              isUnsaved={isUnsaved}
              onBringBack={(version) => {
                edit({ sql: version.sql, databaseId: version.analyticalDatabaseConfigId });
                const message = `Version ${version.version} is in the editor. Save to make it the current one.`;
                notifications.show({ message });
              }}
            />
          )}
          {!query && (
            <Text c="dimmed" size="sm">
              Write a statement and press {command}-Enter: it is saved, and its result appears here.
            </Text>
          )}
        </div>
      </div>
      {hasConflict && query && (
        <ConflictDialog
          queryId={query.id}
          sql={sql}
          engine={engine}
          onClose={closeConflict}
          onDiscard={() => {
            discard();
            closeConflict();
            void queries.invalidateQueries(trpc.queries.get.queryFilter({ id: query.id }));
          }}
          onSave={async (merged, version) => {
            closeConflict();
            edit({ sql: merged });
            await saveNow({ sql: merged, databaseId, version });
          }}
        />
      )}
      <LeaveDialog hasWork={() => hasWork && !leaving.current}>
        Your changes are kept as a draft in this browser and are here when you come back. Nobody else sees
        them.
      </LeaveDialog>
    </div>
  );
}
