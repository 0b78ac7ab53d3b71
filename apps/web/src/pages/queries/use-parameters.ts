import type { ParameterDefinition } from "@querybell/domain";
import { findPlaceholders } from "@querybell/statements/tokenizer";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { trpc } from "../../api.ts";
import { definitionsFor, toParameterValues, type ValueTexts } from "../../parameters/parameter-values.ts";
import type { Statement } from "./statement.ts";
import type { Query } from "./use-saving.ts";
import { useDebouncedStatement } from "./use-statement.ts";

/** As one string, which is compared cheaply. Names have no commas. */
const placeholderNames = (sql: string): string => findPlaceholders(sql).join(",");

export interface Parameters {
  placeholders: readonly string[];
  definitions: readonly ParameterDefinition[];
  values: ValueTexts;
  setValues: (values: ValueTexts) => void;
  /** Set if the definitions could not be read. Each parameter is then taken for a text. */
  failedRead: { error: unknown; refetch: () => unknown } | undefined;
  errors: Readonly<Record<string, string>>;
  setErrors: (errors: Record<string, string>) => void;
  /** The values for a run of the statement as it is now. */
  given: () => Record<string, string | string[]>;
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** What was typed for the parameters of a new query, for the page that it is shown on once it is saved. */
    parameters?: { values: ValueTexts; errors: Record<string, string> };
  }
}

/** Reads the definitions of a query's parameters. */
export const definitionsOptions = (queryId: string, placeholders: readonly string[]) =>
  trpc.queries.definitions.queryOptions({ id: queryId, names: placeholders.slice(0, 100) });

/** The parameters in the SQL, updated while the user types, with their definitions and values. */
export function useParameters(query: Query | undefined, statement: Statement): Parameters {
  const names = useDebouncedStatement(statement, placeholderNames);
  const placeholders = useMemo(() => (names === "" ? [] : names.split(",")), [names]);
  const { parameters: before } = useRouter().history.location.state;
  const [values, setValues] = useState<ValueTexts>(before?.values ?? {});
  const [errors, setErrors] = useState<Record<string, string>>(before?.errors ?? {});
  const {
    data: known,
    error,
    refetch,
  } = useQuery({
    ...definitionsOptions(query?.id ?? "", placeholders),
    enabled: query !== undefined && placeholders.length > 0,
    placeholderData: keepPreviousData,
  });
  const definitions = useMemo(() => definitionsFor(placeholders, known ?? []), [placeholders, known]);
  // Reads the statement again: the debounced value may be older.
  const given = () => toParameterValues(definitionsFor(findPlaceholders(statement.sql), known ?? []), values);
  const failedRead = error && !known ? { error, refetch } : undefined;
  return { placeholders, definitions, failedRead, values, setValues, errors, setErrors, given };
}
