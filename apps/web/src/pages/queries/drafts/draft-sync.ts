import { isUnanswered, toFailure } from "../../../errors/failure.ts";
import type { Statement } from "../statement.ts";
import { type DraftConflict, isChangedElsewhere, isConflictFromStart, notChosen } from "./draft-conflict.ts";
import {
  contentOf,
  type DraftCalls,
  type DraftContent,
  DraftOnServer,
  isSameContent,
  type SavedQuery,
  type ServerDraft,
  toLocalDraft,
} from "./draft-on-server.ts";
import type { Draft } from "./draft-storage.ts";

export type SyncState =
  | { kind: "stored" }
  | { kind: "storing" }
  /** The text is kept in the browser. Without an answer of the server, it is sent again later. */
  | { kind: "failed"; message: string; isUnanswered: boolean }
  /** The draft was changed in another window. Nothing is stored until the user has chosen a text. */
  | ({ kind: "conflict" } & DraftConflict);

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

const storeAfterMs = 1000;
const retryAfterMs = 3000;

/** Stores the statement of a page as a draft on the server while it is typed, one call at a time. */
export class DraftSync {
  readonly #statement: Statement;
  readonly #queryId: string | undefined;
  readonly #server: DraftOnServer;
  readonly #onStored: SyncParts["onStored"];
  readonly #listeners = new Set<() => void>();
  #state: SyncState = { kind: "stored" };
  #queue: Promise<unknown> = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether its page is shown. */
  #isShown = false;
  /** A new query was saved: nothing that is typed later belongs to this draft. */
  #isEnded = false;

  constructor({ statement, queryId, server, calls, onStored }: SyncParts) {
    this.#statement = statement;
    this.#queryId = queryId;
    this.#server = new DraftOnServer(calls, server);
    this.#onStored = onStored;
    if (server && isConflictFromStart(statement, server)) this.#state = this.#conflictWith(server);
  }

  readonly getState = (): SyncState => this.#state;

  /** Whether the browser must keep a copy. */
  get hasUnsent(): boolean {
    return !this.#isEnded && (this.#timer !== undefined || this.#state.kind !== "stored");
  }

  /** The revision that a change of this page replaces. */
  get revision(): number | undefined {
    return this.#server.current?.revision;
  }

  /** Calls back on every change of the state, until the returned function is called. */
  readonly listen = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Stores what is typed from now on, until the returned function is called, which stores the rest. */
  start(): () => void {
    this.#isShown = true;
    const unlisten = this.#statement.listen(() => this.#storeLater(storeAfterMs));
    if (this.#statement.draft && !this.#server.has(contentOf(this.#statement))) this.#storeLater(0);
    return () => {
      this.#isShown = false;
      unlisten();
      if (this.#timer !== undefined) void this.store().catch(() => {});
    };
  }

  /** Stores the statement as it is now. Undefined if there is nothing to store. Throws a `Failure`. */
  store(): Promise<ServerDraft | undefined> {
    const content = contentOf(this.#statement);
    return this.#inTurn(() => this.#write(content));
  }

  /**
   * Stores a draft again that was discarded. If its page was left, nobody could be asked which text to keep: it replaces
   * what was typed since, and the page that is open takes it over.
   */
  async restore(draft: Draft): Promise<void> {
    this.#statement.takeDraft(draft);
    try {
      await this.store();
    } catch (error) {
      if (this.#isShown || this.#state.kind !== "conflict") throw error;
      await this.#replace(this.#state.theirs);
    }
  }

  /** Stores the statement as it is now, and starts its run. What is typed meanwhile is stored after that. */
  run<Run>(start: (draft: ServerDraft) => Promise<Run>): Promise<Run | undefined> {
    const content = contentOf(this.#statement);
    return this.#inTurn(() => this.#writeAndUse(content, start));
  }

  /** Saves the statement as it is now: as a query with this name, or as the next version of the query. */
  save(as: { name?: string; folderId?: string; version?: number }): Promise<SavedQuery | undefined> {
    const content = contentOf(this.#statement);
    return this.#inTurn(async () => {
      const saved = await this.#writeAndUse(content, () => this.#server.save(as));
      if (!saved) return undefined;
      this.#isEnded = this.#queryId === undefined;
      this.#onStored(null);
      const { sql, analyticalDatabaseConfigId: databaseId, parameters } = content;
      this.#statement.markSaved({ sql, databaseId, version: saved.version }, parameters ?? undefined);
      this.#setState({ kind: "stored" });
      return saved;
    });
  }

  /** Deletes the draft of a new query. */
  end(): Promise<void> {
    this.#isEnded = true;
    this.#dropTimer();
    return this.#inTurn(() => this.#delete());
  }

  /**
   * The draft was read again. If it was changed elsewhere, and nothing was typed here since, its text is taken over.
   * Returns whether the statement has changed.
   */
  receive(draft: ServerDraft | null): boolean {
    const before = this.#server.current;
    if (this.hasUnsent || this.#isEnded) return false;
    if (draft) {
      if (before?.id === draft.id && draft.revision <= before.revision) return false;
      this.#take(draft);
    } else {
      if (!before) return false;
      this.#server.current = undefined;
      this.#statement.discard();
      this.#dropTimer();
    }
    return true;
  }

  #take(draft: ServerDraft): void {
    this.#server.current = draft;
    this.#statement.takeDraft(toLocalDraft(draft));
    // The statement has told of a change, which need not be stored.
    this.#dropTimer();
    this.#setState({ kind: "stored" });
  }

  /** The state in which the user chooses between this draft and the content of the page. */
  #conflictWith(theirs: ServerDraft): SyncState {
    return {
      kind: "conflict",
      theirs,
      keepMine: async () => {
        await this.#replace(theirs).catch(() => {});
      },
      takeTheirs: () => this.#take(theirs),
    };
  }

  #replace(theirs: ServerDraft): Promise<unknown> {
    this.#server.current = theirs;
    this.#setState({ kind: "storing" });
    return this.store();
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

  async #write(content: DraftContent): Promise<ServerDraft | undefined> {
    // What was typed after this content is stored in its own time.
    if (isSameContent(contentOf(this.#statement), content)) this.#dropTimer();
    if (this.#state.kind === "conflict") throw notChosen();
    try {
      if (!this.#isNeeded()) {
        await this.#delete();
        this.#setState({ kind: "stored" });
        return undefined;
      }
      if (!this.#server.has(content)) {
        this.#setState({ kind: "storing" });
        this.#onStored(await this.#server.write(content, this.#ofQuery()));
      }
      this.#setState({ kind: "stored" });
      return this.#server.current;
    } catch (error) {
      throw await this.#fail(error);
    }
  }

  /** Stores the content and uses the draft. If it was changed elsewhere meanwhile, that is a conflict as well. */
  async #writeAndUse<Answer>(
    content: DraftContent,
    use: (draft: ServerDraft) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    const stored = await this.#write(content);
    if (!stored) return undefined;
    try {
      return await use(stored);
    } catch (error) {
      throw isChangedElsewhere(error) ? await this.#fail(error) : error;
    }
  }

  #ofQuery() {
    const queryId = this.#queryId;
    return queryId === undefined ? {} : { queryId, queryVersion: this.#statement.version };
  }

  async #delete(): Promise<void> {
    if (await this.#server.delete()) this.#onStored(null);
  }

  async #fail(error: unknown): Promise<Error> {
    const theirs = isChangedElsewhere(error) ? await this.#server.read() : undefined;
    if (theirs) {
      this.#setState(this.#conflictWith(theirs));
      return notChosen();
    }
    const failure = toFailure(error);
    this.#setState({ kind: "failed", message: failure.message, isUnanswered: isUnanswered(error) });
    if (isUnanswered(error)) this.#storeLater(retryAfterMs);
    return failure;
  }

  /** A changed query has a draft while it differs from what is saved; a new one, once something is typed. */
  #isNeeded(): boolean {
    if (this.#isEnded) return false;
    if (this.#queryId !== undefined) return this.#statement.isUnsaved;
    return this.#server.current !== undefined || this.#statement.sql.trim() !== "";
  }

  #setState(state: SyncState): void {
    if (state.kind === this.#state.kind && (state.kind === "stored" || state.kind === "storing")) return;
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
