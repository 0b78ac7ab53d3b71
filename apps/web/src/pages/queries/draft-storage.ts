/** An unsaved statement. */
export interface Draft {
  sql: string;
  databaseId: string;
  /** The version of the query that it is based on; 0 for a new query. */
  version: number;
  at: string;
}

/** The key of a query's draft in the browser's storage. */
export const draftKey = (organizationId: string, queryId: string): string =>
  `querybell.draft.${organizationId}.${queryId}`;

export function readDraft(key: string): Draft | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    return isDraft(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** If the storage is full or not allowed, only the draft is lost. */
export function writeDraft(key: string, draft: Draft | undefined): void {
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
