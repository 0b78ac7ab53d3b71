import type { Inputs, Outputs } from "@querybell/client";
import { toApiError } from "@querybell/client";
import { Failure, isUnanswered, toFailure } from "../../../errors/failure.ts";
import type { Statement } from "../statement.ts";

export type ServerDraft = Outputs["drafts"]["get"];
type SavedQuery = Outputs["drafts"]["save"];

/** The calls of the api. */
export interface DraftCalls {
  create: (input: Inputs["drafts"]["create"]) => Promise<ServerDraft>;
  update: (input: Inputs["drafts"]["update"]) => Promise<ServerDraft>;
  delete: (input: Inputs["drafts"]["delete"]) => Promise<unknown>;
  save: (input: Inputs["drafts"]["save"]) => Promise<SavedQuery>;
  /** The draft as the server has it now, if it has one. */
  read: (id: string | undefined) => Promise<ServerDraft | null>;
}

export type SyncState =
  | { kind: "stored" }
  | { kind: "storing" }
  /** The text is kept in the browser. Without an answer of the server, it is sent again later. */
  | { kind: "failed"; message: string }
  /** The draft was changed in another window. Nothing is stored until the user has chosen a text. */
  | { kind: "conflict"; theirs: ServerDraft };

interface SyncParts {
  statement: Statement;
  /** Undefined: the draft of a new query. */
  queryId: string | undefined;
  /** What the server had when the page was opened. */
  server: ServerDraft | undefined;
  calls: DraftCalls;
  /** Called when the server has stored the draft, or has none any more. */
  onStored: (draft: ServerDraft | null) => void;
}

interface Content {
  sql: string;
  analyticalDatabaseConfigId: string;
}

const storeAfterMs = 1000;
const retryAfterMs = 3000;

/** Stores the statement of a page as a draft on the server while it is typed, one call at a time. */
export class DraftSync {
  readonly #statement: Statement;
  readonly #queryId: string | undefined;
  readonly #calls: DraftCalls;
  readonly #onStored: SyncParts["onStored"];
  readonly #listeners = new Set<() => void>();
  #server: ServerDraft | undefined;
  #state: SyncState = { kind: "stored" };
  #queue: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** A new query was saved: nothing that is typed later belongs to this draft. */
  #isEnded = false;

  constructor({ statement, queryId, server, calls, onStored }: SyncParts) {
    this.#statement = statement;
    this.#queryId = queryId;
    this.#server = server;
    this.#calls = calls;
    this.#onStored = onStored;
    const { draft } = statement;
    if (server && draft && !hasContent(server, contentOf(statement)) && draft.revision !== server.revision)
      this.#state = { kind: "conflict", theirs: server };
  }

  readonly getState = (): SyncState => this.#state;

  /** Whether the browser must keep a copy. */
  get hasUnsent(): boolean {
    return !this.#isEnded && (this.#timer !== undefined || this.#state.kind !== "stored");
  }

  /** The revision that a change of this page replaces. */
  get revision(): number | undefined {
    return this.#server?.revision;
  }

  /** Calls back on every change of the state, until the returned function is called. */
  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Stores what is typed from now on, until the returned function is called, which stores the rest. */
  start(): () => void {
    const unlisten = this.#statement.listen(() => this.#storeLater(storeAfterMs));
    if (this.#statement.draft && !this.#isStored(contentOf(this.#statement))) this.#storeLater(0);
    return () => {
      unlisten();
      if (this.#timer !== undefined) void this.store().catch(() => {});
    };
  }

  /** Stores the statement as it is now. Undefined if there is nothing to store. Throws a `Failure`. */
  store(): Promise<ServerDraft | undefined> {
    const content = contentOf(this.#statement);
    return this.#inTurn(() => this.#write(content));
  }

  /** Stores the statement as it is now, and starts its run. What is typed meanwhile is stored after that. */
  run<Run>(start: (draft: ServerDraft) => Promise<Run>): Promise<Run | undefined> {
    const content = contentOf(this.#statement);
    return this.#inTurn(() => this.#writeAndUse(content, start));
  }

  /** Saves the statement as it is now: as a query with this name, or as the next version of the query. */
  save(as: { name?: string; version?: number }): Promise<SavedQuery | undefined> {
    const content = contentOf(this.#statement);
    return this.#inTurn(async () => {
      const saved = await this.#writeAndUse(content, ({ id, revision }) =>
        this.#calls.save({ id, revision, ...as }),
      );
      if (!saved) return undefined;
      this.#server = undefined;
      this.#isEnded = this.#queryId === undefined;
      this.#onStored(null);
      const { sql, analyticalDatabaseConfigId: databaseId } = content;
      this.#statement.markSaved({ sql, databaseId, version: saved.version });
      this.#setState({ kind: "stored" });
      return saved;
    });
  }

  /** Deletes the draft of a new query. */
  end(): Promise<void> {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#inTurn(() => this.#delete());
  }

  /** After a conflict: stores the text of this page over the other one. */
  async keepMine(): Promise<void> {
    if (this.#state.kind !== "conflict") return;
    this.#server = this.#state.theirs;
    this.#setState({ kind: "storing" });
    await this.store().catch(() => {});
  }

  /** After a conflict: shows the other text. */
  takeTheirs(): void {
    if (this.#state.kind !== "conflict") return;
    this.#take(this.#state.theirs);
  }

  /**
   * The draft was read again. If it was changed elsewhere, and nothing was typed here since, its text is taken over.
   * Returns whether the statement has changed.
   */
  receive(draft: ServerDraft | null): boolean {
    const before = this.#server;
    if (this.hasUnsent || this.#isEnded) return false;
    if (draft) {
      if (before?.id === draft.id && draft.revision <= before.revision) return false;
      this.#take(draft);
    } else {
      if (!before) return false;
      this.#server = undefined;
      this.#statement.discard();
      this.#dropTimer();
    }
    return true;
  }

  #take(draft: ServerDraft): void {
    this.#server = draft;
    this.#statement.takeDraft(toLocalDraft(draft));
    // The statement has told of a change, which need not be stored.
    this.#dropTimer();
    this.#setState({ kind: "stored" });
  }

  #storeLater(ms: number): void {
    if (this.#isEnded) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.store().catch(() => {}), ms);
  }

  #dropTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #inTurn<Answer>(act: () => Promise<Answer>): Promise<Answer> {
    const turn = this.#queue.then(act);
    this.#queue = turn.catch(() => {});
    return turn;
  }

  async #write(content: Content): Promise<ServerDraft | undefined> {
    this.#dropTimerFor(content);
    if (this.#state.kind === "conflict") throw new Failure(conflictSentence, "draft_changed");
    try {
      if (!this.#isNeeded()) {
        await this.#delete();
        this.#setState({ kind: "stored" });
        return undefined;
      }
      if (!this.#isStored(content)) {
        this.#setState({ kind: "storing" });
        this.#server = await this.#send(content);
        this.#onStored(this.#server);
      }
      this.#setState({ kind: "stored" });
      return this.#server;
    } catch (error) {
      throw await this.#fail(error);
    }
  }

  /** Stores the content and uses the draft. If it was changed elsewhere meanwhile, that is a conflict as well. */
  async #writeAndUse<Answer>(
    content: Content,
    use: (draft: ServerDraft) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    const stored = await this.#write(content);
    if (!stored) return undefined;
    try {
      return await use(stored);
    } catch (error) {
      throw toApiError(error)?.reason === "draft_changed" ? await this.#fail(error) : error;
    }
  }

  /** What was typed after this content is stored in its own time. */
  #dropTimerFor(content: Content): void {
    const now = contentOf(this.#statement);
    if (now.sql === content.sql && now.analyticalDatabaseConfigId === content.analyticalDatabaseConfigId)
      this.#dropTimer();
  }

  async #send(content: Content): Promise<ServerDraft> {
    if (this.#server) {
      const { id, revision } = this.#server;
      try {
        return await this.#calls.update({ id, revision, ...content });
      } catch (error) {
        if (toApiError(error)?.reason !== "not_found") throw error;
        // It was saved or deleted in another window, and this text was typed since.
        this.#server = undefined;
      }
    }
    const ofQuery =
      this.#queryId === undefined ? {} : { queryId: this.#queryId, queryVersion: this.#statement.version };
    return this.#calls.create({ ...content, ...ofQuery });
  }

  async #delete(): Promise<void> {
    if (!this.#server) return;
    await this.#calls.delete({ id: this.#server.id }).catch((error: unknown) => {
      if (toApiError(error)?.reason !== "not_found") throw error;
    });
    this.#server = undefined;
    this.#onStored(null);
  }

  async #fail(error: unknown): Promise<Failure> {
    if (toApiError(error)?.reason === "draft_changed") {
      const theirs = await this.#calls.read(this.#server?.id).catch(() => null);
      if (theirs) {
        this.#setState({ kind: "conflict", theirs });
        return new Failure(conflictSentence, "draft_changed");
      }
    }
    const failure = toFailure(error);
    this.#setState({ kind: "failed", message: failure.message });
    if (isUnanswered(error)) this.#storeLater(retryAfterMs);
    return failure;
  }

  /** A changed query has a draft while it differs from what is saved; a new one, once something is typed. */
  #isNeeded(): boolean {
    if (this.#isEnded) return false;
    if (this.#queryId !== undefined) return this.#statement.isUnsaved;
    return this.#server !== undefined || this.#statement.sql.trim() !== "";
  }

  #isStored(content: Content): boolean {
    return this.#server !== undefined && hasContent(this.#server, content);
  }

  #setState(state: SyncState): void {
    if (state.kind === this.#state.kind && state.kind !== "failed") return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

const conflictSentence =
  "Your draft was changed in another window or on another device. Choose which text to keep, then try again.";

const contentOf = ({ sql, databaseId }: Statement): Content => ({
  sql,
  analyticalDatabaseConfigId: databaseId,
});

const hasContent = (draft: Content, content: Content): boolean =>
  draft.sql === content.sql && draft.analyticalDatabaseConfigId === content.analyticalDatabaseConfigId;

/** The draft of the server as the page holds it. */
export const toLocalDraft = (draft: ServerDraft) => ({
  sql: draft.sql,
  databaseId: draft.analyticalDatabaseConfigId,
  version: draft.queryVersion ?? 0,
  at: draft.updatedAt,
  revision: draft.revision,
});
