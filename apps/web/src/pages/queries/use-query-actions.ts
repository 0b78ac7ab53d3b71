import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { api, trpc } from "../../api.ts";
import { toFailure } from "../../errors/failure.ts";
import { errorsByParameter } from "../../parameters/parameter-values.ts";
import { toValueSearch } from "../../parameters/value-search.ts";
import type { RunFailure, WatchedRun } from "../../runs/use-run.ts";
import type { Statement } from "./statement.ts";
import type { Parameters } from "./use-parameters.ts";
import type { Query, useSaving } from "./use-saving.ts";

interface QueryParts {
  query: Query | undefined;
  statement: Statement;
  moveDraft: (queryId: string) => void;
  parameters: Parameters;
  watched: WatchedRun;
  saving: ReturnType<typeof useSaving>;
}

/** Saves and runs the query. Running saves first, because the api runs the saved statement. */
export function useQueryActions(parts: QueryParts) {
  const { query, statement, moveDraft, parameters, watched, saving } = parts;
  const navigate = useNavigate();
  const queries = useQueryClient();
  const latestParameters = useRef(parameters);
  latestParameters.current = parameters;
  /** True from saving a new query until its page is open: nothing is unsaved then. */
  const isLeaving = useRef(false);
  /** True while an action is under way: a shortcut pressed again meanwhile does nothing. */
  const isActing = useRef(false);

  const act = async (action: () => Promise<void>) => {
    if (isActing.current) return;
    isActing.current = true;
    try {
      await action();
    } finally {
      isActing.current = false;
    }
  };

  const store = async (changed: { sql: string; databaseId: string; version: number }) => {
    const saved = await saving.save(changed);
    if (!saved) return undefined;
    isLeaving.current = true;
    statement.markSaved({ ...changed, version: saved.version });
    return saved.id;
  };

  /** Opens the page of a query that was just created, with the text that was typed meanwhile. */
  const openQuery = async (id: string, errors = {}) => {
    if (!query) {
      moveDraft(id);
      await navigate({
        to: "/queries/$queryId",
        params: { queryId: id },
        search: toValueSearch(latestParameters.current.values),
        replace: true,
        state: { parameters: { errors } },
      });
    }
    isLeaving.current = false;
  };

  const save = (changed = contentOf(statement)) =>
    act(async () => {
      const id = await store(changed);
      if (id !== undefined) await openQuery(id);
    });

  const saveAndRun = async () => {
    if (statement.sql.trim() === "" || watched.isUnfinished) return;
    const parameterValues = parameters.check();
    if (!parameterValues) return;
    const id = statement.isUnsaved || !query ? await store(contentOf(statement)) : query.id;
    if (id === undefined) return;
    let errors = {};
    try {
      const started = await api.queries.run.mutate({ id, parameterValues });
      if (query) watched.watch(started.id);
      void queries.invalidateQueries(trpc.queries.get.queryFilter({ id }));
      void queries.invalidateQueries(trpc.runs.list.queryFilter());
    } catch (error) {
      const { message, fields } = toFailure(error);
      errors = errorsByParameter(fields, parameters.inputs.definitions);
      parameters.setErrors(errors);
      notifications.show({ color: "red", title: "Not run", message });
    }
    // Only now: the page of a new query finds its run when it reads the query.
    await openQuery(id, errors);
  };
  const run = () => act(saveAndRun);

  const hasUnsavedChanges = () => statement.isUnsaved && statement.sql.trim() !== "" && !isLeaving.current;
  return { save, run, hasUnsavedChanges };
}

const contentOf = ({ sql, databaseId, version }: Statement) => ({ sql, databaseId, version });

/**
 * Why the query's latest run failed, if this page did not watch it: it ended before the page was open, as the first run
 * of a new query often does.
 */
export function useLatestFailure(query: Query | undefined, watched: WatchedRun): RunFailure | undefined {
  const latest = query?.latestRun;
  const isWanted = latest?.status === "failed" && !watched.isUnfinished && watched.run === undefined;
  const { data } = useQuery(trpc.runs.get.queryOptions({ id: latest?.id ?? "" }, { enabled: isWanted }));
  return isWanted ? (data?.failure ?? undefined) : undefined;
}
