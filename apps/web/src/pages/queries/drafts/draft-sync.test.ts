import { TRPCClientError } from "@trpc/client";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { Statement } from "../statement.ts";
import { type DraftCalls, type ServerDraft, toLocalDraft } from "./draft-on-server.ts";
import { DraftSync } from "./draft-sync.ts";

const refused = (reason: string) =>
  new TRPCClientError(reason, {
    result: {
      error: {
        message: reason,
        code: -32600,
        data: { reason, httpStatus: 409, code: "CONFLICT", errors: [] },
      },
    },
  });
const unanswered = () => new TRPCClientError("fetch failed");

/** A server with at most one draft, as `drafts.*` behaves. */
function createServer() {
  const server = {
    draft: undefined as ServerDraft | undefined,
    isReachable: true,
    created: 0,
    change: (sql: string) => {
      if (server.draft) server.draft = { ...server.draft, sql, revision: server.draft.revision + 1 };
    },
  };
  const answer = async <Answer>(give: () => Answer): Promise<Answer> => {
    if (!server.isReachable) throw unanswered();
    return give();
  };
  const calls: DraftCalls = {
    create: ({ sql, analyticalDatabaseConfigId, queryId = null, queryVersion = null, ...input }) =>
      answer(() => {
        if (server.draft) throw refused("draft_changed");
        const times = { updatedAt: "2026-11-18T00:00:00.000Z", expiresAt: "2026-12-18T00:00:00.000Z" };
        const id = `draft ${++server.created}`;
        const parameters = (input.parameters ?? null) as ServerDraft["parameters"];
        const content = { sql, analyticalDatabaseConfigId, parameters, queryId, queryVersion };
        server.draft = { id, revision: 1, name: null, trial: null, ...content, ...times };
        return server.draft;
      }),
    update: ({ id, revision, sql = "", ...input }) =>
      answer(() => {
        if (server.draft?.id !== id) throw refused("not_found");
        if (server.draft.revision !== revision) throw refused("draft_changed");
        const parameters = (input.parameters ?? null) as ServerDraft["parameters"];
        server.draft = { ...server.draft, sql, parameters, revision: revision + 1 };
        return server.draft;
      }),
    delete: () =>
      answer(() => {
        server.draft = undefined;
      }),
    save: ({ id, revision }) =>
      answer(() => {
        if (server.draft?.id !== id) throw refused("not_found");
        if (server.draft.revision !== revision) throw refused("draft_changed");
        const { sql, analyticalDatabaseConfigId, queryVersion } = server.draft;
        server.draft = undefined;
        const at = "2026-11-18T00:00:00.000Z";
        const rest = {
          name: null,
          description: null,
          createdBy: "u",
          createdAt: at,
          updatedAt: at,
          latestRun: null,
        };
        return { id: "query", sql, analyticalDatabaseConfigId, version: (queryVersion ?? 0) + 1, ...rest };
      }),
    read: () => answer(() => server.draft ?? null),
  };
  return { server, calls };
}

const saved = { sql: "SELECT 1", databaseId: "db", version: 3 };

/** The page of a saved query. */
function open({ server, calls }: ReturnType<typeof createServer>) {
  const before = server.draft;
  const statement = new Statement(saved, before && toLocalDraft(before), "db");
  const stored: (string | undefined)[] = [];
  const onStored = (draft: ServerDraft | null) => stored.push(draft?.sql);
  const sync = new DraftSync({ statement, queryId: "query", server: before, calls, onStored });
  const stop = sync.start();
  return { statement, sync, stored, stop };
}

/** What the user is asked in a conflict. */
function choiceOf(sync: DraftSync) {
  const state = sync.getState();
  if (state.kind !== "conflict") throw new Error("There is no conflict.");
  return state;
}

const pause = () => vi.advanceTimersByTimeAsync(1000);

beforeEach(() => {
  vi.useFakeTimers();
  return () => vi.useRealTimers();
});

describe("what is typed", () => {
  test("is stored after a pause, on the version that it changes, and once", async () => {
    const parts = createServer();
    const { statement, sync, stored } = open(parts);
    for (const sql of ["SELECT 2", "SELECT 23"]) statement.edit({ sql });
    expect(sync.hasUnsent).toBe(true);
    await pause();
    expect(stored).toEqual(["SELECT 23"]);
    expect(parts.server.draft).toMatchObject({ queryId: "query", queryVersion: 3, revision: 1 });
    expect(sync.hasUnsent).toBe(false);
  });

  test("is stored with the changed definitions, also if the text is the saved one, until they are as before", async () => {
    const parts = createServer();
    const { statement } = open(parts);
    const parameters = { definitions: [], choices: {}, ranges: [], base: null };
    statement.define(parameters);
    expect(statement).toMatchObject({ isUnsaved: true, isTextUnsaved: false });
    await pause();
    expect(parts.server.draft).toMatchObject({ sql: "SELECT 1", parameters, revision: 1 });
    // The keys of what the server answers are ordered.
    parts.server.draft = {
      ...(parts.server.draft as ServerDraft),
      parameters: { base: null, ranges: [], choices: {}, definitions: [] },
    };
    expect(open(parts).sync.getState()).toEqual({ kind: "stored" });
    statement.edit({ sql: "SELECT 2" });
    await pause();
    expect(parts.server.draft).toMatchObject({ sql: "SELECT 2", parameters, revision: 2 });
    statement.edit({ sql: "SELECT 1" });
    statement.define(undefined);
    await pause();
    expect(parts.server.draft).toBeUndefined();
  });

  test("is removed when it is what is saved again", async () => {
    const parts = createServer();
    const { statement } = open(parts);
    statement.edit({ sql: "SELECT 2" });
    await pause();
    statement.edit({ sql: "SELECT 1" });
    await pause();
    expect(parts.server.draft).toBeUndefined();
  });

  test("is sent again when the server answers", async () => {
    const parts = createServer();
    const { statement, sync } = open(parts);
    parts.server.isReachable = false;
    statement.edit({ sql: "SELECT 2" });
    await pause();
    expect(sync.getState()).toMatchObject({ kind: "failed" });
    expect(sync.hasUnsent).toBe(true);
    parts.server.isReachable = true;
    await vi.advanceTimersByTimeAsync(3000);
    expect(parts.server.draft).toMatchObject({ sql: "SELECT 2" });
    expect(sync.hasUnsent).toBe(false);
  });

  test("is stored when the page is left", async () => {
    const parts = createServer();
    const { statement, stop } = open(parts);
    statement.edit({ sql: "SELECT 2" });
    stop();
    await vi.advanceTimersByTimeAsync(0);
    expect(parts.server.draft).toMatchObject({ sql: "SELECT 2" });
  });

  test("is stored as a new draft if another window has saved or deleted the one before", async () => {
    const parts = createServer();
    const { statement } = open(parts);
    statement.edit({ sql: "SELECT 2" });
    await pause();
    parts.server.draft = undefined;
    statement.edit({ sql: "SELECT 3" });
    await pause();
    expect(parts.server.draft).toMatchObject({ sql: "SELECT 3", revision: 1 });
  });
});

describe("a draft that another window has changed", () => {
  const changedElsewhere = async () => {
    const parts = createServer();
    const page = open(parts);
    page.statement.edit({ sql: "SELECT 2" });
    await pause();
    parts.server.change("theirs");
    return { ...parts, ...page };
  };

  test("is taken over if nothing was typed here since", async () => {
    const { server, sync, statement } = await changedElsewhere();
    expect(sync.receive(server.draft ?? null)).toBe(true);
    expect(statement.sql).toBe("theirs");
    // An answer that was under way is older.
    expect(sync.receive({ ...(server.draft as ServerDraft), sql: "older", revision: 1 })).toBe(false);
    expect(sync.receive(null)).toBe(true);
    expect(statement.sql).toBe("SELECT 1");
  });

  test("is not overwritten: nothing is stored until a text is chosen", async () => {
    const { server, sync, statement } = await changedElsewhere();
    statement.edit({ sql: "mine" });
    await pause();
    expect(sync.getState()).toMatchObject({ kind: "conflict", theirs: { sql: "theirs" } });
    await expect(sync.store()).rejects.toThrow("Choose which text to keep");
    expect(server.draft).toMatchObject({ sql: "theirs" });
    await choiceOf(sync).keepMine();
    expect(server.draft).toMatchObject({ sql: "mine", revision: 3 });
  });

  test("replaces the text of this page if that is chosen", async () => {
    const { server, sync, statement } = await changedElsewhere();
    statement.edit({ sql: "mine" });
    await pause();
    choiceOf(sync).takeTheirs();
    expect(statement.sql).toBe("theirs");
    await pause();
    expect(server.draft).toMatchObject({ sql: "theirs", revision: 2 });
    expect(sync.hasUnsent).toBe(false);
  });

  test("is replaced by what its page had discarded, if that page was left, and the page that is open shows it", async () => {
    const parts = createServer();
    const left = open(parts);
    left.statement.edit({ sql: "discarded" });
    await pause();
    const discarded = left.statement.draft;
    if (!discarded) throw new Error("There is no draft.");
    left.statement.discard();
    await left.sync.store();
    left.stop();
    const shown = open(parts);
    shown.statement.edit({ sql: "typed since" });
    await pause();
    await left.sync.restore(discarded);
    expect(left.sync.getState()).toEqual({ kind: "stored" });
    expect(parts.server.draft).toMatchObject({ sql: "discarded", revision: 2 });
    expect(shown.sync.receive(parts.server.draft ?? null)).toBe(true);
    expect(shown.statement.sql).toBe("discarded");
  });

  test("is a conflict again if it is changed once more before it is used", async () => {
    const parts = createServer();
    const { statement, sync } = open(parts);
    statement.edit({ sql: "SELECT 2" });
    await pause();
    parts.server.change("SELECT 3");
    statement.edit({ sql: "SELECT 4" });
    await pause();
    parts.server.change("SELECT 5");
    choiceOf(sync).takeTheirs();
    expect(statement.sql).toBe("SELECT 3");
    await expect(sync.save({})).rejects.toMatchObject({ code: "draft_changed" });
    expect(sync.getState()).toMatchObject({ kind: "conflict", theirs: { sql: "SELECT 5" } });
    choiceOf(sync).takeTheirs();
    await sync.save({});
    expect(statement.sql).toBe("SELECT 5");
  });

  test("is a conflict from the beginning if the browser has a text that was not sent", async () => {
    const { server, calls } = await changedElsewhere();
    const statement = new Statement(
      saved,
      { sql: "not sent", databaseId: "db", version: 3, at: "", revision: 1 },
      "db",
    );
    const sync = new DraftSync({
      statement,
      queryId: "query",
      server: server.draft,
      calls,
      onStored: () => {},
    });
    expect(sync.getState()).toMatchObject({ kind: "conflict" });
  });
});

describe("saving", () => {
  test("stores the text first, and keeps what is typed meanwhile as the next draft", async () => {
    const parts = createServer();
    const { statement, sync } = open(parts);
    statement.edit({ sql: "SELECT 2" });
    const saving = sync.save({});
    statement.edit({ sql: "SELECT 23" });
    expect(await saving).toMatchObject({ sql: "SELECT 2", version: 4 });
    expect(statement).toMatchObject({ sql: "SELECT 23", version: 4, isUnsaved: true });
    await pause();
    expect(parts.server.draft).toMatchObject({ sql: "SELECT 23", queryVersion: 4 });
  });

  test("and running come before what is typed meanwhile", async () => {
    const parts = createServer();
    const { statement, sync } = open(parts);
    statement.edit({ sql: "SELECT 2" });
    const { promise: isStarted, resolve: start } = Promise.withResolvers<void>();
    const running = sync.run(async ({ revision }) => {
      await isStarted;
      return [revision, parts.server.draft?.revision];
    });
    statement.edit({ sql: "SELECT 23" });
    await pause();
    start();
    expect(await running).toEqual([1, 1]);
    await pause();
    expect(parts.server.draft).toMatchObject({ sql: "SELECT 23", revision: 2 });
  });

  test("a new query ends its draft: no other is created", async () => {
    const parts = createServer();
    const statement = new Statement({ sql: "", databaseId: undefined, version: 0 }, undefined, "db");
    const sync = new DraftSync({
      statement,
      queryId: undefined,
      server: undefined,
      calls: parts.calls,
      onStored: () => {},
    });
    sync.start();
    statement.edit({ sql: "SELECT 2" });
    expect(await sync.save({ name: "Two" })).toMatchObject({ id: "query" });
    await pause();
    expect(parts.server).toMatchObject({ draft: undefined, created: 1 });
    expect(sync.hasUnsent).toBe(false);
  });
});
