import type { ParameterDefinition } from "@querybell/domain";

/** What somebody has typed for each parameter. A parameter that is missing takes its default. */
export type ValueTexts = Readonly<Record<string, string>>;

/** The values as the api takes them: a list's items stand between commas. */
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

/** The texts of values that a run had, for a form to begin with. */
export const toTexts = (values: Readonly<Record<string, unknown>>): ValueTexts =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : String(value),
    ]),
  );

/** A definition for a placeholder that nobody has defined: a text without a default. */
const plainDefinition = (name: string): ParameterDefinition => ({
  name,
  displayName: name,
  type: "string",
  description: "",
});

/** One definition for each placeholder, in their order; of several for one name, the first counts. */
export const definitionsFor = (
  placeholders: readonly string[],
  known: readonly ParameterDefinition[],
): ParameterDefinition[] =>
  placeholders.map((name) => known.find((definition) => definition.name === name) ?? plainDefinition(name));

/** What is wrong with the values of a run, by the parameters' names. */
export const errorsByParameter = (fields: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([path, words]) => [path.replace(/^parameterValues\./, ""), words]),
  );

/** Values as one line for people: since = 2026-01-01, until = 2026-02-01. */
export const describeValues = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(toTexts(values))
    .map(([name, text]) => `${name} = ${text}`)
    .join(", ");
