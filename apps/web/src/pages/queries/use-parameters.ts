import type { ParameterDefinition } from "@querybell/domain";
import { findPlaceholders } from "@querybell/domain/placeholders";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { trpc } from "../../api.ts";
import { definitionsFor, toParameterValues, type ValueTexts } from "../../components/parameter-values.ts";
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
  errors: Readonly<Record<string, string>>;
  setErrors: (errors: Record<string, string>) => void;
  /** The values for a run of the statement as it is now. */
  given: () => Record<string, string | string[]>;
}

/** The parameters in the SQL, updated while the user types, with their definitions and values. */
export function useParameters(query: Query | undefined, statement: Statement): Parameters {
  const names = useDebouncedStatement(statement, placeholderNames);
  const placeholders = useMemo(() => (names === "" ? [] : names.split(",")), [names]);
  const [values, setValues] = useState<ValueTexts>({});
  const [errors, setErrors] = useState<Record<string, string>>({});
  const known = useQuery(
    trpc.queries.definitions.queryOptions(
      { id: query?.id ?? "", names: placeholders.slice(0, 100) },
      { enabled: query !== undefined && placeholders.length > 0, placeholderData: keepPreviousData },
    ),
  ).data;
  const definitions = useMemo(() => definitionsFor(placeholders, known ?? []), [placeholders, known]);
  // Reads the statement again: the debounced value may be older.
  const given = () => toParameterValues(definitionsFor(findPlaceholders(statement.sql), known ?? []), values);
  return { placeholders, definitions, values, setValues, errors, setErrors, given };
}
