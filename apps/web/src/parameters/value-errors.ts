import type { DateRange, ParameterDefinition, ParameterInputs } from "@querybell/domain";
import { AppError } from "@querybell/domain/app-error";
import { parseParameterValue } from "@querybell/statements/values";
import { resolveDay } from "./days.ts";
import { labelOf, pageClock, plainDefinition, toValue, type ValueTexts } from "./parameter-values.ts";

/** What is wrong with a text that was typed for a parameter, as the api would say it, or undefined. */
export function findValueError(definition: ParameterDefinition, text: string): string | undefined {
  const { name, type } = definition;
  try {
    parseParameterValue({ name, type, clock: pageClock }, toValue(type, text));
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return aboutParameter(definition, error.errors?.[0]?.message ?? error.message);
  }
}

type Checked = Pick<ParameterInputs, "definitions" | "ranges">;

/** What is wrong with the texts, by parameter: the check of the api, before anything is sent. */
export const findTextErrors = (
  { definitions, ranges }: Checked,
  texts: ValueTexts,
): Record<string, string> => {
  const errors = definitions.map((definition) => {
    const text = texts[definition.name];
    return [definition.name, text === undefined ? undefined : findValueError(definition, text)] as const;
  });
  const ofRanges = ranges.map((range) => [range.end, findRangeError(range, definitions, texts)] as const);
  return Object.fromEntries(
    [...ofRanges, ...errors].flatMap(([name, error]) => (error === undefined ? [] : [[name, error]])),
  );
};

/** The same, and what is missing: for values that are about to be used. */
export const findValueErrors = (inputs: Checked, texts: ValueTexts): Record<string, string> => ({
  ...Object.fromEntries(
    inputs.definitions
      .filter(({ name, defaultValue }) => texts[name] === undefined && defaultValue === undefined)
      .map((definition) => [definition.name, aboutParameter(definition, "is required")]),
  ),
  ...findTextErrors(inputs, texts),
});

/** That the end of a range is before its start, where both are days. Relative dates may give a range without days. */
function findRangeError(
  { start, end }: DateRange,
  definitions: readonly ParameterDefinition[],
  texts: ValueTexts,
): string | undefined {
  const dayOf = (name: string) => {
    const definition = definitions.find((one) => one.name === name);
    const text = texts[name] ?? definition?.defaultValue ?? "";
    return resolveDay(text) === text ? text : undefined;
  };
  const [first, to] = [dayOf(start), dayOf(end)];
  const definition = definitions.find(({ name }) => name === end);
  if (!definition || first === undefined || to === undefined || to >= first) return undefined;
  return aboutParameter(definition, "is before the start of the range");
}

/** "Since takes a date such as 2024-01-31." */
const aboutParameter = (definition: ParameterDefinition, message: string): string => {
  const words = `${message.charAt(0).toLowerCase()}${message.slice(1)}`;
  return `${labelOf(definition)} ${words}${words.endsWith(".") ? "" : "."}`;
};

/** The errors of a run's values, by parameter, in the words of the labels. */
export const errorsByParameter = (
  fields: Readonly<Record<string, string>>,
  definitions: readonly ParameterDefinition[],
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([path, words]) => {
      const name = path.replace(/^parameterValues\./, "");
      const definition = definitions.find((one) => one.name === name) ?? plainDefinition(name);
      return [name, aboutParameter(definition, words)];
    }),
  );
