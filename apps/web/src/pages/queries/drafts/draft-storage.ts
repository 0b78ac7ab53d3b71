import type { DraftParameters } from "@querybell/domain";

/** An unsaved statement. The browser keeps a copy until the server has it. */
export interface Draft {
  sql: string;
  databaseId: string;
  /** Changed definitions of its parameters. Absent: those of the query. */
  parameters?: DraftParameters | undefined;
  /** The version of the query that it is based on; 0 for a new query. */
  version: number;
  at: string;
  /** The revision of the server's draft that it changes. Absent: the server had none. */
  revision?: number | undefined;
}

/** The author of a draft: people may share a browser. */
interface Author {
  userId: string;
  organizationId: string;
}

/** The key of a draft in the browser's storage: that of a query, of a stored draft, or "new". */
export const draftKey = ({ userId, organizationId }: Author, id: string): string =>
  `querybell.draft.${userId}.${organizationId}.${id}`;

function readDraft(key: string): Draft | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    return isDraft(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** If the storage is full or not allowed, only the draft is lost. */
function writeDraft(key: string, draft: Draft | undefined): void {
  try {
    if (draft) localStorage.setItem(key, JSON.stringify(draft));
    else localStorage.removeItem(key);
  } catch {}
}

/** The stored draft of a page. Other tabs may store drafts of the same query: the one typed last is kept. */
export class StoredDraft {
  #key: string;
  #read: Draft | undefined;
  /** What this page has read or written last. */
  #last: Draft | undefined;

  constructor(key: string) {
    this.#key = key;
    this.#read = readDraft(key);
    this.#last = this.#read;
  }

  /** The draft that was stored when the page was opened. */
  get read(): Draft | undefined {
    return this.#read;
  }

  /** Stores the page's draft; undefined when the server has it, or it was discarded. */
  write(draft: Draft | undefined): void {
    // A draft typed in this page is written again when it is left: another tab may have removed it.
    const isTypedHere = draft !== undefined && draft !== this.#read;
    if (draft === this.#last && !isTypedHere) return;
    const mine = draft ?? this.#last;
    const stored = readDraft(this.#key);
    this.#last = draft;
    if (!stored || !mine || stored.at <= mine.at) writeDraft(this.#key, draft);
  }

  /** From now on, the page's draft is stored under another key. */
  move(key: string): void {
    this.write(undefined);
    this.#key = key;
    this.#read = undefined;
  }
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
