import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { toApiError } from "@querybell/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { trpc } from "../../api.ts";
import { toFailure } from "../../errors/failure.ts";
import { cachedResults } from "../../results/cached-result.ts";
import type { TextError } from "../../sql/code-editor.tsx";
import type { DraftSync } from "./drafts/draft-sync.ts";

export type Query = Outputs["queries"]["get"];

/** The notification of a failed save. The next save or run removes it. */
const notSaved = "query-not-saved";
export const hideNotSaved = (): void => void notifications.hide(notSaved);

/** Saves the draft. Errors are marked in its text. If another user has saved, opens the comparison. */
export function useSaving(query: Query | undefined, sync: DraftSync) {
  const queries = useQueryClient();
  const [isSaving, setSaving] = useState(false);
  const [marks, setMarks] = useState<TextError[]>([]);
  const [hasConflict, setConflict] = useState(false);

  /** Returns the saved query. Throws if it could not be saved, after marking why. */
  const saveAs = async (as: Parameters<DraftSync["save"]>[0]) => {
    setSaving(true);
    setMarks([]);
    hideNotSaved();
    try {
      const saved = await sync.save(as);
      if (!saved) return undefined;
      if (query) {
        queries.setQueryData(
          trpc.queries.get.queryKey({ id: query.id }),
          (before) => before && { ...before, ...saved, latestRun: before.latestRun },
        );
      }
      void queries.invalidateQueries(trpc.queries.get.queryFilter());
      void queries.invalidateQueries(trpc.library.pathFilter());
      void queries.invalidateQueries(trpc.queries.versions.queryFilter());
      void queries.invalidateQueries(trpc.runs.list.queryFilter());
      void queries.invalidateQueries(trpc.queries.parameters.queryFilter());
      void queries.invalidateQueries(trpc.references.get.queryFilter());
      void queries.invalidateQueries(trpc.queries.lineage.queryFilter());
      void queries.invalidateQueries(cachedResults);
      return saved;
    } catch (error) {
      setMarks(marksOf(error));
      throw error;
    } finally {
      setSaving(false);
    }
  };

  /** Saves the next version of the query. */
  const saveVersion = async (version?: number): Promise<void> => {
    try {
      await saveAs(version === undefined ? {} : { version });
    } catch (error) {
      if (toApiError(error)?.reason === "query_changed") setConflict(true);
      else showNotSaved(error);
    }
  };
  return {
    saveAs,
    saveVersion,
    isSaving,
    marks,
    setMarks,
    hasConflict,
    closeConflict: () => setConflict(false),
  };
}

/** What is wrong with the text, to be marked in it. */
export const marksOf = (error: unknown): TextError[] =>
  (toApiError(error)?.errors ?? [])
    .filter(({ path }) => path === "sql")
    .map(({ message, position }) => ({ message, position }));

export const showNotSaved = (error: unknown): void => {
  notifications.show({ id: notSaved, color: "red", title: "Not saved", message: toFailure(error).message });
};
