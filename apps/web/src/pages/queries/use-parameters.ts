import type { ParameterInputs } from "@querybell/domain";
import { findOpenPlaceholders } from "@querybell/statements/tokenizer";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { trpc } from "../../api.ts";
import {
  definitionsFor,
  findValueErrors,
  toParameterValues,
  type ValueTexts,
} from "../../parameters/parameter-values.ts";
import { toValueSearch, valuesInSearch } from "../../parameters/value-search.ts";
import type { Statement } from "./statement.ts";
import type { Query } from "./use-saving.ts";
import { useDebouncedStatement } from "./use-statement.ts";

/** As one string, which is compared cheaply. Names have no commas. */
const placeholderNames = (sql: string): string => findOpenPlaceholders(sql).join(",");

export interface Parameters {
  placeholders: readonly string[];
  inputs: ParameterInputs;
  values: ValueTexts;
  setValues: (values: ValueTexts) => void;
  /** Set if the definitions could not be read. Each parameter is then taken for a text. */
  failedRead: { error: unknown; refetch: () => unknown } | undefined;
  errors: Readonly<Record<string, string>>;
  setErrors: (errors: Record<string, string>) => void;
  /** The values for a run of the statement as it is now; undefined if some do not fit, which the fields then show. */
  check: () => Record<string, string | string[]> | undefined;
}

declare module "@tanstack/react-router" {
  interface HistoryState {
    /** The errors of a new query's values, for the page that it is shown on once it is saved. */
    parameters?: { errors: Record<string, string> };
  }
}

/** Reads the definitions of a query's parameters. */
export const parametersOptions = (queryId: string, placeholders: readonly string[]) =>
  trpc.queries.parameters.queryOptions({ id: queryId, names: placeholders.slice(0, 100) });

const noInputs = { definitions: [], choices: {}, ranges: [] };

/** The parameters in the SQL, updated while the user types, with their definitions and values. */
export function useParameters(query: Query | undefined, statement: Statement): Parameters {
  const names = useDebouncedStatement(statement, placeholderNames);
  const placeholders = useMemo(() => (names === "" ? [] : names.split(",")), [names]);
  const { parameters: before } = useRouter().history.location.state;
  const [values, setValues] = useAddressValues();
  const [errors, setErrors] = useState<Record<string, string>>(before?.errors ?? {});
  const {
    data: known = noInputs,
    error,
    refetch,
    isSuccess,
  } = useQuery({
    ...parametersOptions(query?.id ?? "", placeholders),
    enabled: query !== undefined && placeholders.length > 0,
    placeholderData: keepPreviousData,
  });
  const inputs = useMemo(() => inputsFor(placeholders, known), [placeholders, known]);
  const check = () => {
    // Reads the statement again: the debounced value may be older.
    const { definitions } = inputsFor(findOpenPlaceholders(statement.sql), known);
    const found = findValueErrors(definitions, values);
    setErrors(found);
    return Object.keys(found).length > 0 ? undefined : toParameterValues(definitions, values);
  };
  const failedRead = error && !isSuccess ? { error, refetch } : undefined;
  return { placeholders, inputs, failedRead, values, setValues, errors, setErrors, check };
}

/** What is shown for these placeholders. A range needs both of its dates. */
function inputsFor(placeholders: readonly string[], { definitions, choices, ranges }: ParameterInputs) {
  const has = (name: string) => placeholders.includes(name);
  return {
    definitions: definitionsFor(placeholders, definitions),
    choices: Object.fromEntries(Object.entries(choices).filter(([name]) => has(name))),
    ranges: ranges.filter(({ start, end }) => has(start) && has(end)),
  };
}

const pauseMs = 300;

/** The values in the address. It follows when typing pauses, since navigation takes a moment. */
function useAddressValues(): [ValueTexts, (values: ValueTexts) => void] {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [values, setValues] = useState<ValueTexts>(() => valuesInSearch(search));
  const written = toValueSearch(valuesInSearch(search));
  const wanted = toValueSearch(values);
  const isWritten = JSON.stringify(written) === JSON.stringify(wanted);
  useEffect(() => {
    if (isWritten) return;
    const timer = setTimeout(() => {
      void navigate({
        to: ".",
        search: ({ tab, draft }: { tab?: string; draft?: string }) => ({
          ...(tab !== undefined && { tab }),
          ...(draft !== undefined && { draft }),
          ...wanted,
        }),
        replace: true,
        resetScroll: false,
      });
    }, pauseMs);
    return () => clearTimeout(timer);
  });
  return [values, setValues];
}
