import { notifications } from "@mantine/notifications";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { api, trpc } from "../../api.ts";
import { Failure, toFailure } from "../../errors/failure.ts";
import { errorsByParameter } from "../../parameters/parameter-values.ts";
import { toValueSearch } from "../../parameters/value-search.ts";
import type { RunFailure, WatchedRun } from "../../runs/use-run.ts";
import type { DraftSync } from "./drafts/draft-sync.ts";
import { isSameText, type Trial } from "./drafts/use-trial.ts";
import type { Statement } from "./statement.ts";
import type { Parameters } from "./use-parameters.ts";
import { hideNotSaved, marksOf, type Query, showNotSaved, type useSaving } from "./use-saving.ts";

interface QueryParts {
  query: Query | undefined;
  statement: Statement;
  sync: DraftSync;
  parameters: Parameters;
  watched: WatchedRun;
  saving: ReturnType<typeof useSaving>;
  /** The text that the watched run ran, if it is known. */
  ran: Trial["ran"];
  onTrial: (trial: Trial) => void;
}

/** Saves and runs the query. A text that is not saved runs as a trial, which only its author sees. */
export function useQueryActions(parts: QueryParts) {
  const { query, statement, sync, parameters, watched, saving, ran, onTrial } = parts;
  const navigate = useNavigate();
  const queries = useQueryClient();
  const latestParameters = useRef(parameters);
  latestParameters.current = parameters;
  /** Whether the dialog that names a new query is open. */
  const [isNaming, setNaming] = useState(false);
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

  const save = (version?: number) =>
    act(async () => {
      if (query) return saving.saveVersion(version);
      if (statement.sql.trim() === "") showNotSaved(new Failure("SQL must not be empty."));
      else setNaming(true);
    });

  /** Saves a new query, and opens its page. Throws if it could not be saved. */
  const saveAs = async (name: string) => {
    const saved = await saving.saveAs({ name });
    if (!saved) return;
    await navigate({
      to: "/queries/$queryId",
      params: { queryId: saved.id },
      search: toValueSearch(latestParameters.current.values),
      replace: true,
    });
  };

  const start = async (parameterValues: Record<string, unknown>) => {
    if (query && !statement.isUnsaved) {
      const started = await api.queries.run.mutate({ id: query.id, parameterValues });
      void queries.invalidateQueries(trpc.queries.get.queryFilter({ id: query.id }));
      void queries.invalidateQueries(trpc.runs.list.queryFilter());
      return started;
    }
    return sync.run(async ({ id, revision, sql, analyticalDatabaseConfigId: databaseId }) => {
      const started = await api.drafts.run.mutate({ id, revision, parameterValues });
      onTrial({ runId: started.id, ran: { sql, databaseId } });
      return started;
    });
  };

  const run = () =>
    act(async () => {
      // A run of another text, such as the saved one, need not be waited for.
      const isOther = watched.run !== undefined && !isSameText(statement, ran);
      if (statement.sql.trim() === "" || (watched.isUnfinished && !isOther)) return;
      const parameterValues = parameters.check();
      if (!parameterValues) return;
      hideNotSaved();
      saving.setMarks([]);
      try {
        const started = await start(parameterValues);
        if (started) watched.watch(started.id);
      } catch (error) {
        const { message, fields } = toFailure(error);
        saving.setMarks(marksOf(error));
        parameters.setErrors(errorsByParameter(fields, parameters.inputs.definitions));
        notifications.show({ color: "red", title: "Not run", message });
      }
    });

  return { save, saveAs, run, isNaming, stopNaming: () => setNaming(false) };
}

/**
 * Why the latest run failed, if this page did not watch it: it ended before the page was open. The latest run is the
 * trial, if there is one, or else that of the query.
 */
export function useLatestFailure(
  latest: { id: string; status: string } | null | undefined,
  watched: WatchedRun,
): RunFailure | undefined {
  const isWanted = latest?.status === "failed" && !watched.isUnfinished && watched.run === undefined;
  const { data } = useQuery(trpc.runs.get.queryOptions({ id: latest?.id ?? "" }, { enabled: isWanted }));
  return isWanted ? (data?.failure ?? undefined) : undefined;
}
