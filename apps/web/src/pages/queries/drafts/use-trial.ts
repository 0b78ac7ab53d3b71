import type { Outputs } from "@querybell/client";
import { useCallback, useMemo, useState } from "react";
import type { WatchedRun } from "../../../runs/use-run.ts";
import type { Statement } from "../statement.ts";
import type { Query } from "../use-saving.ts";
import { useStatementValue } from "../use-statement.ts";
import type { ServerDraft } from "./draft-on-server.ts";

/** A run of unsaved text. */
export interface Trial {
  runId: string;
  /** The text that ran. Undefined: an earlier one, which is not known any more. */
  ran: { sql: string; databaseId: string } | undefined;
  /** Its status when the page was opened. Undefined for one that was started here. */
  status?: Outputs["runs"]["get"]["status"];
}

/** The latest trial of the page's draft. */
export function useTrial(draft: ServerDraft | undefined) {
  return useState<Trial | undefined>(() => {
    if (!draft?.trial) return undefined;
    const { runId, status, isCurrent } = draft.trial;
    const { sql, analyticalDatabaseConfigId: databaseId } = draft;
    return { runId, status, ran: isCurrent ? { sql, databaseId } : undefined };
  });
}

/** The id of the trial, once it has completed. */
export function completedTrial(trial: Trial | undefined, { run }: WatchedRun): string | undefined {
  if (!trial) return undefined;
  const status = run?.id === trial.runId ? run.status : trial.status;
  return status === "completed" ? trial.runId : undefined;
}

/** The latest run that the page knows from its opening: the trial, or else that of the query. */
export function latestRunOf(query: Query | undefined, trial: Trial | undefined) {
  if (!trial) return query?.latestRun;
  return trial.status && { id: trial.runId, status: trial.status };
}

/** The text that the watched run ran: that of the trial, or the saved one. */
export function useRanText(
  query: Query | undefined,
  trial: Trial | undefined,
  { run }: WatchedRun,
): Trial["ran"] {
  const isOfQuery = query !== undefined && run?.queryId === query.id && run.queryVersion === query.version;
  const [sql, databaseId] = [query?.sql ?? "", query?.analyticalDatabaseConfigId ?? ""];
  const saved = useMemo(() => ({ sql, databaseId }), [sql, databaseId]);
  if (run && run.id === trial?.runId) return trial.ran;
  return isOfQuery ? saved : undefined;
}

/** Whether the editor still has the text that ran. Renders again when that changes. */
export function useIsTextOf(statement: Statement, ran: Trial["ran"]): boolean {
  const isSame = useCallback((now: Statement) => isSameText(now, ran), [ran]);
  return useStatementValue(statement, isSame);
}

export const isSameText = ({ sql, databaseId }: Statement, ran: Trial["ran"]): boolean =>
  ran !== undefined && sql === ran.sql && databaseId === ran.databaseId;
