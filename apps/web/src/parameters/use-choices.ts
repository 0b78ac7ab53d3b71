import type { Choices, ParameterInputs } from "@querybell/domain";
import { skipToken, useQuery } from "@tanstack/react-query";
import { api } from "../api.ts";
import { Failure } from "../errors/failure.ts";
import { openResult } from "../results/open-result.ts";
import { labelOf, toValue, type ValueTexts } from "./parameter-values.ts";

export interface Choice {
  value: string;
  label: string;
}

export interface OfferedChoices {
  items: readonly Choice[];
  /** Whether these are all choices: a value that is not among them is none. */
  isComplete: boolean;
  /** In place of the choices: that they are being read, why they could not be, what to choose first. */
  note: string | undefined;
  isLoading: boolean;
}

type QueryChoices = Extract<Choices, { kind: "query" }>;

/** The most choices that are read from a result. */
const maxChoices = 5000;

/** The choices of a parameter. Those of a query are read from its cached result, or by running it. */
export function useChoices(
  offered: Choices,
  { inputs, values, isWanted }: { inputs: ParameterInputs; values: ValueTexts; isWanted: boolean },
): OfferedChoices {
  const isQuery = offered.kind === "query";
  const given = isQuery ? valuesFor(offered, inputs, values) : undefined;
  const { data, error, isFetching } = useQuery({
    queryKey: ["choices", offered, given?.parameterValues],
    queryFn:
      isQuery && isWanted && given && !given.missing
        ? ({ signal }) => readChoices(offered, given.parameterValues, signal)
        : skipToken,
    staleTime: 300_000,
    retry: false,
  });
  if (!isQuery) {
    const items = offered.items.map(({ value, label }) => ({ value, label: label ?? value }));
    return { items, isComplete: true, note: undefined, isLoading: false };
  }
  if (given?.missing !== undefined) {
    return { items: [], isComplete: false, note: `Choose ${given.missing} first.`, isLoading: false };
  }
  const note = error
    ? `The choices could not be read: ${error.message}`
    : isFetching
      ? "Reading…"
      : undefined;
  return { items: [], isComplete: false, ...data, note, isLoading: isFetching };
}

/** The values of the parameters that the choices depend on, or the label of the first that has none. */
function valuesFor({ dependsOn }: QueryChoices, { definitions }: ParameterInputs, values: ValueTexts) {
  const parameterValues: Record<string, string | string[]> = {};
  for (const name of dependsOn) {
    const definition = definitions.find((one) => one.name === name);
    const text = values[name] ?? definition?.defaultValue;
    if (text === undefined) return { parameterValues, missing: definition ? labelOf(definition) : name };
    parameterValues[name] = toValue(definition?.type ?? "string", text);
  }
  return { parameterValues, missing: undefined };
}

async function readChoices(
  { queryId: id, valueColumn, labelColumn }: QueryChoices,
  parameterValues: Record<string, string | string[]>,
  signal: AbortSignal,
): Promise<Pick<OfferedChoices, "items" | "isComplete">> {
  const found = await api.queries.findResult.query({ id, parameterValues }, { signal });
  const runId = found.kind === "found" ? found.result.runId : await run({ id, parameterValues }, signal);
  const result = await openResult(runId);
  try {
    const columnOf = (name: string | undefined, otherwise: number) =>
      name === undefined ? otherwise : result.fields.findIndex((field) => field.name === name);
    const value = columnOf(valueColumn, 0);
    const label = columnOf(labelColumn, Math.min(1, result.fields.length - 1));
    const missing = value === -1 ? valueColumn : label === -1 ? labelColumn : undefined;
    if (missing !== undefined) throw new Failure(`the result has no column ${missing}.`);
    const rows = await result.rows(0, Math.min(maxChoices, result.rowCount));
    const items = new Map<string, Choice>();
    for (const row of rows) {
      const text = textOf(row[value]);
      if (text !== undefined && !items.has(text)) {
        items.set(text, { value: text, label: textOf(row[label]) ?? text });
      }
    }
    return { items: [...items.values()], isComplete: result.rowCount <= maxChoices };
  } finally {
    result.close();
  }
}

/** A value as it is in the result; undefined for NULL and empty text, which no field can hold. */
const textOf = (cell: unknown): string | undefined => {
  if (cell === null || cell === undefined || cell === "") return undefined;
  return typeof cell === "string" ? cell : JSON.stringify(cell);
};

/** Runs the query of the choices, like any other run, and waits until it has ended. */
async function run(
  input: { id: string; parameterValues: Record<string, string | string[]> },
  signal: AbortSignal,
): Promise<string> {
  const { id } = await api.queries.run.mutate(input, { signal });
  const ended = Promise.withResolvers<void>();
  const watching = api.runs.watch.subscribe(
    { id },
    {
      onData: (news) => {
        if (news.status === "completed") ended.resolve();
        if (news.status === "failed") ended.reject(new Failure(news.failure?.message ?? "the run failed."));
      },
      onError: ended.reject,
    },
  );
  const abort = () => ended.reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    await ended.promise;
    return id;
  } finally {
    signal.removeEventListener("abort", abort);
    watching.unsubscribe();
  }
}
