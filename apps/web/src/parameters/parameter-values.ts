import type { ParameterDefinition } from "@querybell/domain";

/** The typed text for each parameter. A missing parameter takes its default. */
export type ValueTexts = Readonly<Record<string, string>>;

/** Converts the typed text to values for the api. Items of a list are separated by commas. */
export const toParameterValues = (
  definitions: readonly ParameterDefinition[],
  texts: ValueTexts,
): Record<string, string | string[]> =>
  Object.fromEntries(
    definitions.flatMap(({ name, type }) => {
      const text = texts[name];
      if (text === undefined) return [];
      return [[name, type.endsWith("[]") ? splitList(text) : text]];
    }),
  );

const splitList = (text: string): string[] =>
  text.trim() === "" ? [] : text.split(",").map((item) => item.trim());

/** Converts the values of a run to text, as the initial values of a form. */
export const toTexts = (values: Readonly<Record<string, unknown>>): ValueTexts =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : String(value),
    ]),
  );

/** The definition of a placeholder without one: a string without a default. */
const plainDefinition = (name: string): ParameterDefinition => ({
  name,
  displayName: name,
  type: "string",
  description: "",
});

/** One definition for each placeholder, in the order of placeholders. The first definition of a name is used. */
export const definitionsFor = (
  placeholders: readonly string[],
  known: readonly ParameterDefinition[],
): ParameterDefinition[] =>
  placeholders.map((name) => known.find((definition) => definition.name === name) ?? plainDefinition(name));

/** The errors of a run's values, by parameter. */
export const errorsByParameter = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([path, words]) => [path.replace(/^parameterValues\./, ""), words]),
  );

/** Writes values on one line: since = 2026-01-01, until = 2026-02-01. */
export const describeValues = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(toTexts(values))
    .map(([name, text]) => `${name} = ${text}`)
    .join(", ");
