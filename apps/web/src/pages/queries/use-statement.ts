import { startTransition, useEffect, useRef, useState } from "react";
import { useMe } from "../../components/me.ts";
import { draftKey, readDraft, writeDraft } from "./draft-storage.ts";
import { type SavedStatement, Statement } from "./statement.ts";
import type { Query } from "./use-saving.ts";

/** How long nobody has typed before something that costs time follows from what was typed. */
const settleMs = 300;

const savedOf = (query: Query | undefined): SavedStatement => ({
  sql: query?.sql ?? "",
  databaseId: query?.analyticalDatabaseConfigId,
  version: query?.version ?? 0,
});

/** The statement of a query, with its draft, which survives a reload in this browser. */
export function useStatement(query: Query | undefined, firstDatabaseId: string): Statement {
  const { organization } = useMe();
  const key = draftKey(organization.organizationId, query?.id ?? "new");
  const [statement] = useState(() => new Statement(savedOf(query), readDraft(key), firstDatabaseId));
  useEffect(() => statement.setSaved(savedOf(query)), [statement, query]);
  useEffect(() => {
    const write = () => writeDraft(key, statement.draft);
    const writer = afterTyping(statement, write);
    addEventListener("pagehide", write);
    return () => {
      removeEventListener("pagehide", write);
      writer.stop();
      write();
    };
  }, [key, statement]);
  return statement;
}

/** Something small that is true of the statement. Draws again only when it changes, and after the key that changed it. */
export function useFact<Value extends string | boolean>(
  statement: Statement,
  read: (statement: Statement) => Value,
): Value {
  const [value, setValue] = useState(() => read(statement));
  useEffect(() => {
    const look = () => startTransition(() => setValue(read(statement)));
    look();
    return statement.listen(look);
  }, [statement, read]);
  return value;
}

/** Something that follows from the statement, found a moment after the last key: the keys come first. */
export function useSettled(statement: Statement, read: (sql: string) => string): string {
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
    timer = setTimeout(act, settleMs);
  });
  return {
    stop: () => {
      clearTimeout(timer);
      unlisten();
    },
  };
}
