import { startTransition, useEffect, useRef, useState } from "react";
import { useMe } from "../../session/me.ts";
import { draftKey, StoredDraft } from "./draft-storage.ts";
import { type SavedStatement, Statement } from "./statement.ts";
import type { Query } from "./use-saving.ts";

/** Slower work, like finding parameters, is debounced by this time. */
const typingPauseMs = 300;

const savedOf = (query: Query | undefined): SavedStatement => ({
  sql: query?.sql ?? "",
  databaseId: query?.analyticalDatabaseConfigId,
  version: query?.version ?? 0,
});

/** What the address of a new query says that it begins with. */
export interface StartOfQuery {
  databaseId: string;
  sql: string;
}

/** The statement of a query, with its draft, which survives a reload in this browser. */
export function useStatement(query: Query | undefined, firstDatabaseId: string, start?: StartOfQuery) {
  const { organizationId } = useMe().organization;
  // A draft that began with the address does not replace the other new one.
  const newKey = start ? `new ${start.databaseId} ${start.sql}` : "new";
  const [stored] = useState(() => new StoredDraft(draftKey(organizationId, query?.id ?? newKey)));
  const [statement] = useState(() => {
    const started = start && { ...start, version: 0, at: new Date().toISOString() };
    return new Statement(savedOf(query), stored.read ?? started, firstDatabaseId);
  });
  useEffect(() => statement.setSaved(savedOf(query)), [statement, query]);
  useEffect(() => {
    const write = () => stored.write(statement.draft);
    const writer = afterTyping(statement, write);
    addEventListener("pagehide", write);
    return () => {
      removeEventListener("pagehide", write);
      writer.stop();
      write();
    };
  }, [stored, statement]);
  /** Moves the text that was typed while a new query was saved to the page of that query. */
  const moveDraft = (queryId: string) => {
    stored.move(draftKey(organizationId, queryId));
    stored.write(statement.draft);
  };
  return { statement, moveDraft };
}

/**
 * Whether the statement differs from the saved one. Only small components ask: the first typed key renders all that do.
 */
export const useIsUnsaved = (statement: Statement): boolean => useStatementValue(statement, isUnsavedOf);

const isUnsavedOf = (statement: Statement): boolean => statement.isUnsaved;

/** A value derived from the statement. Renders only when it changes, and after the typed key is painted. */
export function useStatementValue<Value extends string | boolean>(
  statement: Statement,
  read: (statement: Statement) => Value,
): Value {
  const [value, setValue] = useState(() => read(statement));
  useEffect(() => {
    const update = () => startTransition(() => setValue(read(statement)));
    update();
    return statement.listen(update);
  }, [statement, read]);
  return value;
}

/** A value derived from the statement, debounced. */
export function useDebouncedStatement(statement: Statement, read: (sql: string) => string): string {
  const reader = useRef(read);
  reader.current = read;
  const [value, setValue] = useState(() => read(statement.sql));
  useEffect(() => {
    const { stop } = afterTyping(statement, () => setValue(reader.current(statement.sql)));
    return stop;
  }, [statement]);
  return value;
}

function afterTyping(statement: Statement, act: () => void): { stop: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const unlisten = statement.listen(() => {
    clearTimeout(timer);
    timer = setTimeout(act, typingPauseMs);
  });
  return {
    stop: () => {
      clearTimeout(timer);
      unlisten();
    },
  };
}
