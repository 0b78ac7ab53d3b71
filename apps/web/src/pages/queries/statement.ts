import type { DraftParameters } from "@querybell/domain";
import type { Draft } from "./drafts/draft-storage.ts";

/** The statement as the api has it. A new query has nothing saved: no SQL, and version 0. */
export interface SavedStatement {
  sql: string;
  /** Undefined for a new query, which has no saved database. */
  databaseId: string | undefined;
  version: number;
}

/**
 * The statement in the editor: the saved one, or a draft. It is not React state, so that typing in a long statement
 * does not render the page again. Components that show it subscribe to changes.
 */
export class Statement {
  readonly #listeners = new Set<() => void>();
  readonly #firstDatabaseId: string;
  #saved: SavedStatement;
  #draft: Draft | undefined;

  constructor(saved: SavedStatement, draft: Draft | undefined, firstDatabaseId: string) {
    this.#saved = saved;
    this.#draft = draft;
    this.#firstDatabaseId = firstDatabaseId;
  }

  get draft(): Draft | undefined {
    return this.#draft;
  }

  get sql(): string {
    return this.#draft?.sql ?? this.#saved.sql;
  }

  get databaseId(): string {
    return this.#draft?.databaseId ?? this.#saved.databaseId ?? this.#firstDatabaseId;
  }

  /** The changed definitions of its parameters; undefined: those of the query. */
  get parameters(): DraftParameters | undefined {
    return this.#draft?.parameters;
  }

  /** The version that saving it would replace. */
  get version(): number {
    return this.#draft?.version ?? this.#saved.version;
  }

  get isUnsaved(): boolean {
    const draft = this.#draft;
    return draft !== undefined && (this.isTextUnsaved || draft.parameters !== undefined);
  }

  /** Whether the text or its database differs from what is saved; otherwise only definitions may. */
  get isTextUnsaved(): boolean {
    return this.sql !== this.#saved.sql || this.databaseId !== this.#saved.databaseId;
  }

  edit({ sql = this.sql, databaseId = this.databaseId }: { sql?: string; databaseId?: string }): void {
    const { parameters, version } = this;
    this.#change({ sql, databaseId, parameters, version, at: new Date().toISOString() });
  }

  /** Changes the definitions of the parameters; undefined: to those of the query. */
  define(parameters: DraftParameters | undefined): void {
    const { sql, databaseId, version } = this;
    this.#change({ sql, databaseId, parameters, version, at: new Date().toISOString() });
  }

  /** Replaces the draft by one that was written elsewhere. */
  takeDraft(draft: Draft): void {
    this.#change(draft);
  }

  discard(): void {
    this.#change(undefined);
  }

  /** The api has a newer statement, saved by this page or by another user. */
  setSaved(saved: SavedStatement): void {
    const { sql, databaseId, version } = this.#saved;
    if (sql === saved.sql && databaseId === saved.databaseId && version === saved.version) return;
    this.#saved = saved;
    this.#notify();
  }

  /**
   * Records that this page saved a version, with these parameters if it has changed any. What was changed since then stays
   * as a draft based on it.
   */
  markSaved(saved: SavedStatement, savedParameters?: DraftParameters): void {
    this.#saved = saved;
    const isDefinedSince = this.parameters !== savedParameters;
    if (!this.#draft || !(this.isTextUnsaved || isDefinedSince)) {
      this.#change(undefined);
      return;
    }
    const parameters = isDefinedSince ? basedOn(this.parameters, savedParameters) : undefined;
    this.#change({ ...this.#draft, parameters, version: saved.version });
  }

  /** Calls back on every change, until the returned function is called. */
  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #change(draft: Draft | undefined): void {
    this.#draft = draft;
    this.#notify();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The same definitions, as a change of those that were just saved. */
function basedOn(
  parameters: DraftParameters | undefined,
  saved: DraftParameters | undefined,
): DraftParameters | undefined {
  if (!parameters || !saved) return parameters;
  const { base, ...inputs } = saved;
  return { ...parameters, base: { ...inputs, version: (base?.version ?? 0) + 1 } };
}
