import { startTransition, useEffect, useRef, useState } from "react";
import type { Statement } from "./statement.ts";

/** Slower work, like finding parameters, is debounced by this time. */
const typingPauseMs = 300;

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
  const latest = useRef(value);
  useEffect(() => {
    const update = () => {
      const next = read(statement);
      // Most keys change nothing. React would look for work all the same.
      if (next === latest.current) return;
      latest.current = next;
      startTransition(() => setValue(next));
    };
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

/** Calls back when nobody has typed for a moment. */
export function afterTyping(statement: Statement, act: () => void): { stop: () => void } {
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
