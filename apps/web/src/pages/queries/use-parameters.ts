import type { DraftParameters, ParameterInputs } from "@querybell/domain";
import { findOpenPlaceholders } from "@querybell/statements/tokenizer";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { trpc } from "../../api.ts";
import {
  definitionsFor,
  isSameTexts,
  noInputs,
  toParameterValues,
  type ValueTexts,
} from "../../parameters/parameter-values.ts";
import { findValueErrors } from "../../parameters/value-errors.ts";
import { toValueSearch, valuesInSearch } from "../../parameters/value-search.ts";
import type { Statement } from "./statement.ts";
import type { Query } from "./use-saving.ts";
import { useDebouncedStatement } from "./use-statement.ts";

/** As one string, which is compared cheaply. Names have no commas. */
const placeholderNames = (sql: string): string => findOpenPlaceholders(sql).join(",");

export interface Parameters {
  placeholders: readonly string[];
  inputs: ParameterInputs;
  /** For the placeholders of the saved SQL; undefined until its definitions are read. */
  savedInputs: ParameterInputs | undefined;
  values: ValueTexts;
  setValues: (values: ValueTexts) => void;
  /** The values that are in the address: those of the fields, once typing has paused. */
  valuesInAddress: ValueTexts;
  /** Set if the definitions could not be read. Each parameter is then taken for a text. */
  failedRead: { error: unknown; refetch: () => unknown } | undefined;
  errors: Readonly<Record<string, string>>;
  setErrors: (errors: Record<string, string>) => void;
  /** The values for a run of the statement as it is now; undefined if some do not fit, which the fields then show. */
  check: () => Record<string, string | string[]> | undefined;
}

/** Reads the definitions of a query's parameters. */
export const parametersOptions = (queryId: string, placeholders: readonly string[]) =>
  trpc.queries.parameters.queryOptions({ id: queryId, names: placeholders.slice(0, 100) });

/** The parameters in the SQL, updated while the user types, with their definitions and values. */
export function useParameters(query: Query | undefined, statement: Statement): Parameters {
  const names = useDebouncedStatement(statement, placeholderNames);
  const placeholders = useMemo(() => (names === "" ? [] : names.split(",")), [names]);
  const { values, setValues, valuesInAddress } = useAddressValues();
  const [errors, setErrors] = useState<Record<string, string>>({});
  const savedSql = query?.sql ?? "";
  const savedNames = useMemo(() => findOpenPlaceholders(savedSql), [savedSql]);
  const wanted = useMemo(() => [...new Set([...placeholders, ...savedNames])], [placeholders, savedNames]);
  const { data, error, refetch, isSuccess } = useQuery({
    ...parametersOptions(query?.id ?? "", wanted),
    enabled: query !== undefined && wanted.length > 0,
    placeholderData: keepPreviousData,
  });
  const changed = useSyncExternalStore(statement.listen, () => statement.parameters);
  const known = useMemo(() => withChanges(data ?? noInputs, changed), [data, changed]);
  const inputs = useMemo(() => inputsFor(placeholders, known), [placeholders, known]);
  const isRead = savedNames.length === 0 || data !== undefined || error !== null;
  const savedInputs = useMemo(
    () => (isRead ? inputsFor(savedNames, data ?? noInputs) : undefined),
    [isRead, savedNames, data],
  );
  const check = () => {
    // Reads the statement again: the debounced value may be older.
    const checked = inputsFor(findOpenPlaceholders(statement.sql), known);
    const found = findValueErrors(checked, values);
    setErrors(found);
    return Object.keys(found).length > 0 ? undefined : toParameterValues(checked.definitions, values);
  };
  const failedRead = error && !isSuccess ? { error, refetch } : undefined;
  return {
    placeholders,
    inputs,
    savedInputs,
    failedRead,
    values,
    setValues,
    valuesInAddress,
    errors,
    setErrors,
    check,
  };
}

/**
 * The parameters with the changes of a draft, which replace those of the query. A name that neither defines is defined by
 * the charts of the query, if any does.
 */
function withChanges(known: ParameterInputs, changed: DraftParameters | undefined): ParameterInputs {
  if (!changed) return known;
  const { base, ...inputs } = changed;
  const names = new Set([...(base?.definitions ?? []), ...inputs.definitions].map(({ name }) => name));
  const others = known.definitions.filter(({ name }) => !names.has(name));
  return { ...inputs, definitions: [...inputs.definitions, ...others] };
}

/** What is shown for these placeholders. A range needs both of its dates. */
export function inputsFor(
  placeholders: readonly string[],
  { definitions, choices, ranges }: ParameterInputs,
): ParameterInputs {
  const has = (name: string) => placeholders.includes(name);
  return {
    definitions: definitionsFor(placeholders, definitions),
    choices: Object.fromEntries(Object.entries(choices).filter(([name]) => has(name))),
    ranges: ranges.filter(({ start, end }) => has(start) && has(end)),
  };
}

const pauseMs = 300;

/** The values in the address. It follows when typing pauses, since navigation takes a moment. */
function useAddressValues() {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [values, setValues] = useState<ValueTexts>(() => valuesInSearch(search));
  const valuesInAddress = valuesInSearch(search);
  const wanted = toValueSearch(values);
  const isWritten = isSameTexts(valuesInAddress, values);
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
  return { values, setValues, valuesInAddress };
}
