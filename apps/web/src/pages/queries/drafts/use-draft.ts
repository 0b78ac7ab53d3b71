import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import { api, trpc } from "../../../api.ts";
import { useMe } from "../../../session/me.ts";
import type { CodeEditorHandle } from "../../../sql/code-editor.tsx";
import { type SavedStatement, Statement } from "../statement.ts";
import type { Query } from "../use-saving.ts";
import { afterTyping } from "../use-statement.ts";
import { type DraftCalls, type ServerDraft, toLocalDraft } from "./draft-on-server.ts";
import { draftKey, StoredDraft } from "./draft-storage.ts";
import { DraftSync } from "./draft-sync.ts";

interface DraftOptions {
  /** Undefined: a new query. */
  query: Query | undefined;
  /** The draft that the server has, if it has one. */
  draft: ServerDraft | undefined;
  firstDatabaseId: string;
  editor: RefObject<CodeEditorHandle | null>;
  /** Called when the draft of a new query has got its id. */
  onCreated?: ((draftId: string) => void) | undefined;
}

const savedOf = (query: Query | undefined): SavedStatement => ({
  sql: query?.sql ?? "",
  databaseId: query?.analyticalDatabaseConfigId,
  version: query?.version ?? 0,
});

/**
 * The statement of a query with its draft, which is stored on the server while it is typed. Until the server has it, the
 * browser keeps a copy, so that it survives a reload without a connection.
 */
export function useDraft({ query, draft, firstDatabaseId, editor, onCreated }: DraftOptions) {
  const { user, organization } = useMe();
  const queries = useQueryClient();
  const isOpen = useRef(false);
  const created = useRef(onCreated);
  created.current = onCreated;
  const [{ statement, sync, copy }] = useState(() => {
    const author = { userId: user.id, organizationId: organization.organizationId };
    const keyOf = (id: string) => draftKey(author, id);
    const stored = new StoredDraft(keyOf(query?.id ?? draft?.id ?? "new"));
    const opened = new Statement(
      savedOf(query),
      stored.read ?? (draft && toLocalDraft(draft)),
      firstDatabaseId,
    );
    let knownId = draft?.id;
    const opening = new DraftSync({
      statement: opened,
      queryId: query?.id,
      server: draft,
      calls: callsFor(query?.id),
      onStored(now) {
        cacheDraft(queries, query?.id, now);
        if (!query && now && now.id !== knownId) {
          stored.move(keyOf(now.id));
          if (isOpen.current) created.current?.(now.id);
        }
        knownId = now?.id;
      },
    });
    const write = () =>
      stored.write(
        opening.hasUnsent && opened.draft ? { ...opened.draft, revision: opening.revision } : undefined,
      );
    return { statement: opened, sync: opening, copy: write };
  });
  useEffect(() => statement.setSaved(savedOf(query)), [statement, query]);
  useEffect(() => {
    isOpen.current = true;
    const stop = sync.start();
    const writer = afterTyping(statement, copy);
    // Not removed below: a page that was left still stores its text, and then removes the copy.
    sync.listen(copy);
    addEventListener("pagehide", copy);
    return () => {
      isOpen.current = false;
      removeEventListener("pagehide", copy);
      writer.stop();
      stop();
      copy();
    };
  }, [statement, sync, copy]);
  useEffect(() => {
    if (sync.receive(draft ?? null)) editor.current?.setText(statement.sql);
  }, [sync, statement, draft, editor]);
  return { statement, sync };
}

const callsFor = (queryId: string | undefined): DraftCalls => ({
  create: (input) => api.drafts.create.mutate(input),
  update: (input) => api.drafts.update.mutate(input),
  delete: (input) => api.drafts.delete.mutate(input),
  save: (input) => api.drafts.save.mutate(input),
  read: (id) => {
    if (queryId !== undefined) return api.drafts.find.query({ queryId });
    return id === undefined ? Promise.resolve(null) : api.drafts.get.query({ id });
  },
});

/** The pages that are opened next show the draft as it was stored last. An older answer that is under way is dropped. */
function cacheDraft(queries: QueryClient, queryId: string | undefined, draft: ServerDraft | null): void {
  const put = (queryKey: readonly unknown[]) => {
    void queries.cancelQueries({ queryKey });
    queries.setQueryData(queryKey, draft);
  };
  if (queryId !== undefined) put(trpc.drafts.find.queryKey({ queryId }));
  else if (draft) put(trpc.drafts.get.queryKey({ id: draft.id }));
  void queries.invalidateQueries(trpc.drafts.list.queryFilter());
}
