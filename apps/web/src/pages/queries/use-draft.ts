import { useCallback, useEffect, useState } from "react";

/** What somebody has typed and not saved yet. */
export interface Draft {
  sql: string;
  databaseId: string;
  /** The version of the query that it was begun on; 0 for a new query. */
  version: number;
  at: string;
}

const keyOf = (organizationId: string, queryId: string) => `querybell.draft.${organizationId}.${queryId}`;

/** A draft that survives a reload, in this browser. Undefined: nothing is unsaved. */
export function useDraft(organizationId: string, queryId: string) {
  const key = keyOf(organizationId, queryId);
  const [draft, setDraft] = useState<Draft | undefined>(() => readDraft(key));

  // Written a moment later, so that a long statement does not slow down typing.
  useEffect(() => {
    const timer = setTimeout(() => writeDraft(key, draft), 300);
    const writeNow = () => writeDraft(key, draft);
    addEventListener("pagehide", writeNow);
    return () => {
      clearTimeout(timer);
      removeEventListener("pagehide", writeNow);
    };
  }, [key, draft]);

  const discard = useCallback(() => {
    writeDraft(key, undefined);
    setDraft(undefined);
  }, [key]);
  return { draft, setDraft, discard };
}

function readDraft(key: string): Draft | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    return isDraft(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** A full or forbidden storage loses drafts, and nothing else. */
function writeDraft(key: string, draft: Draft | undefined): void {
  try {
    if (draft) localStorage.setItem(key, JSON.stringify(draft));
    else localStorage.removeItem(key);
  } catch {}
}

const isDraft = (value: unknown): value is Draft =>
  typeof value === "object" &&
  value !== null &&
  "sql" in value &&
  typeof value.sql === "string" &&
  "databaseId" in value &&
  typeof value.databaseId === "string" &&
  "version" in value &&
  typeof value.version === "number" &&
  "at" in value &&
  typeof value.at === "string";
