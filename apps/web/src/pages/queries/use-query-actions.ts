import { notifications } from "@mantine/notifications";
import type { ParameterValues } from "@querybell/domain";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { api, trpc } from "../../api.ts";
import { Failure, toFailure } from "../../errors/failure.ts";
import { hasValuesOf, isSameTexts, type ValueTexts } from "../../parameters/parameter-values.ts";
import { errorsByParameter } from "../../parameters/value-errors.ts";
import { toValueSearch } from "../../parameters/value-search.ts";
import type { RunFailure, WatchedRun } from "../../runs/use-run.ts";
import type { DraftSync } from "./drafts/draft-sync.ts";
import { isSameText, type Trial } from "./drafts/use-trial.ts";
import type { Statement } from "./statement.ts";
import type { Parameters } from "./use-parameters.ts";
import { hideNotSaved, marksOf, type Query, showNotSaved, type useSaving } from "./use-saving.ts";

/** What a new query is saved as. */
export interface NewQuery {
  name: string;
  folderId?: string;
}

interface RunWithValues {
  id: string;
  parameterValues: ParameterValues;
}

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
  /** The run or trial that was started here last, with the values of the fields. */
  const [started, setStarted] = useState<{ runId: string; values: ValueTexts }>();
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
  const saveAs = async (as: NewQuery) => {
    const saved = await saving.saveAs(as);
    if (!saved) return;
    await navigate({
      to: "/queries/$queryId",
      params: { queryId: saved.id },
      search: toValueSearch(latestParameters.current.values),
      replace: true,
    });
  };

  const start = async (parameterValues: Record<string, unknown>) => {
    const { values } = parameters;
    if (query && !statement.isUnsaved) {
      const created = await api.queries.run.mutate({ id: query.id, parameterValues });
      void queries.invalidateQueries(trpc.queries.get.queryFilter({ id: query.id }));
      void queries.invalidateQueries(trpc.runs.list.queryFilter());
      setStarted({ runId: created.id, values });
      return created;
    }
    return sync.run(async ({ id, revision, sql, analyticalDatabaseConfigId: databaseId }) => {
      const created = await api.drafts.run.mutate({ id, revision, parameterValues });
      onTrial({ runId: created.id, ran: { sql, databaseId } });
      setStarted({ runId: created.id, values });
      return created;
    });
  };

  /** Whether a run has these values. Those like now-1h are others at each moment, so texts are compared too. */
  const isRunOf = (run: RunWithValues, values: ValueTexts): boolean => {
    if (run.id === started?.runId) return isSameTexts(started.values, values);
    return hasValuesOf(run, parameters.inputs.definitions, values);
  };
  /** Whether a run is one of this page: it was started here, or has the values in the address, if there are any. */
  const isOfPage = (run: RunWithValues): boolean => {
    const { valuesInAddress } = parameters;
    if (run.id === started?.runId || Object.keys(valuesInAddress).length === 0) return true;
    return isRunOf(run, valuesInAddress);
  };

  const run = () =>
    act(async () => {
      // A run of another text, such as the saved one, or of other values need not be waited for.
      const isOther =
        watched.run !== undefined && !(isSameText(statement, ran) && isRunOf(watched.run, parameters.values));
      if (statement.sql.trim() === "" || (watched.isUnfinished && !isOther)) return;
      const parameterValues = parameters.check();
      if (!parameterValues) return;
      hideNotSaved();
      saving.setMarks([]);
      try {
        const created = await start(parameterValues);
        if (created) watched.watch(created.id);
      } catch (error) {
        const { message, fields } = toFailure(error);
        saving.setMarks(marksOf(error));
        parameters.setErrors(errorsByParameter(fields, parameters.inputs.definitions));
        notifications.show({ color: "red", title: "Not run", message });
      }
    });

  return { save, saveAs, run, isRunOf, isOfPage, isNaming, stopNaming: () => setNaming(false) };
}

/**
 * Why the latest run failed, if this page did not watch it: it ended before the page was open. The latest run is the
 * trial, if there is one, or else that of the query. A failure with other values is not that of this page.
 */
export function useLatestFailure(
  latest: { id: string; status: string } | null | undefined,
  watched: WatchedRun,
  isOfPage: (run: RunWithValues) => boolean,
): RunFailure | undefined {
  const isWanted = latest?.status === "failed" && !watched.isUnfinished && watched.run === undefined;
  const { data } = useQuery(trpc.runs.get.queryOptions({ id: latest?.id ?? "" }, { enabled: isWanted }));
  return isWanted && data && isOfPage(data) ? (data.failure ?? undefined) : undefined;
}
