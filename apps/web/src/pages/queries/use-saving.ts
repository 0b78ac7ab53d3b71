import { notifications } from "@mantine/notifications";
import type { Outputs } from "@querybell/client";
import { toApiError } from "@querybell/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, trpc } from "../../api.ts";
import { toFailure } from "../../errors/failure.ts";
import { cachedResults } from "../../results/cached-result.ts";
import type { TextError } from "../../sql/code-editor.tsx";
import type { Draft } from "./draft-storage.ts";

export type Query = Outputs["queries"]["get"];

/** The notification of a failed save. The next save removes it. */
const notSaved = "query-not-saved";

interface Saved {
  id: string;
  version: number;
}

/** Saves a statement. Errors are marked in it. If another user has saved, opens the comparison. */
export function useSaving(query: Query | undefined) {
  const queries = useQueryClient();
  const [isSaving, setSaving] = useState(false);
  const [marks, setMarks] = useState<TextError[]>([]);
  const [hasConflict, setConflict] = useState(false);

  /** The saved query; undefined if saving failed, which the page shows. */
  const save = async ({ sql, databaseId, version }: Omit<Draft, "at">): Promise<Saved | undefined> => {
    setSaving(true);
    setMarks([]);
    notifications.hide(notSaved);
    try {
      const content = { sql, analyticalDatabaseConfigId: databaseId };
      const saved = query
        ? await api.queries.update.mutate({ id: query.id, version, ...content })
        : await api.queries.create.mutate(content);
      if (query) {
        queries.setQueryData(
          trpc.queries.get.queryKey({ id: query.id }),
          (before) => before && { ...before, ...saved, latestRun: before.latestRun },
        );
      }
      void queries.invalidateQueries(trpc.queries.get.queryFilter());
      void queries.invalidateQueries(trpc.library.pathFilter());
      void queries.invalidateQueries(trpc.queries.versions.queryFilter());
      void queries.invalidateQueries(cachedResults);
      return saved;
    } catch (error) {
      if (toApiError(error)?.reason === "query_changed") setConflict(true);
      else showSaveError(error, setMarks);
      return undefined;
    } finally {
      setSaving(false);
    }
  };
  return { save, isSaving, marks, setMarks, hasConflict, closeConflict: () => setConflict(false) };
}

function showSaveError(error: unknown, setMarks: (marks: TextError[]) => void): void {
  const errors = toApiError(error)?.errors ?? [];
  const ofSql = errors.filter(({ path }) => path === "sql");
  setMarks(ofSql.map(({ message, position }) => ({ message, position })));
  notifications.show({ id: notSaved, color: "red", title: "Not saved", message: toFailure(error).message });
}
