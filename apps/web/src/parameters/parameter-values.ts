import type { ParameterDefinition, ParameterInputs, ParameterValues } from "@querybell/domain";
import { AppError } from "@querybell/domain/app-error";
import { isSameJson } from "@querybell/domain/same-json";
import { parseDefaultValue, parseParameterValue } from "@querybell/statements/values";

/** The typed text for each parameter. A missing parameter takes its default. */
export type ValueTexts = Readonly<Record<string, string>>;

/** The parameters of a query that defines none. */
export const noInputs: ParameterInputs = { definitions: [], choices: {}, ranges: [] };

/** The two values of a yes or no, as fields show them. */
export const yesAndNo = [
  { value: "true", label: "Yes" },
  { value: "false", label: "No" },
];

/** For relative dates, when the api's functions check values here. */
export const pageClock = { now: () => new Date() };

/** Converts a typed text to a value for the api. */
export const toValue = (type: ParameterDefinition["type"], text: string): string | string[] =>
  type.endsWith("[]") ? toItems(text) : text;

/** Converts the typed text to values for the api. */
export const toParameterValues = (
  definitions: readonly ParameterDefinition[],
  texts: ValueTexts,
): Record<string, string | string[]> =>
  Object.fromEntries(
    definitions.flatMap(({ name, type }) => {
      const text = texts[name];
      return text === undefined ? [] : [[name, toValue(type, text)]];
    }),
  );

/** The items of a list that is written as one text: with commas between them, or as a JSON array of texts. */
export function toItems(text: string): string[] {
  if (text.trim() === "") return [];
  return readJsonTexts(text) ?? text.split(",").map((item) => item.trim());
}

/** Numbers in JSON could be rounded, so only texts are read. */
function readJsonTexts(text: string): string[] | undefined {
  if (!text.trimStart().startsWith("[")) return undefined;
  try {
    const items: unknown = JSON.parse(text);
    if (Array.isArray(items) && items.every((item) => typeof item === "string")) return items;
  } catch {
    // The bracket belongs to the first item.
  }
  return undefined;
}

/** Writes items as one text, which `toItems` reads back exactly. */
export function toListText(items: readonly string[]): string {
  const plain = items.join(", ");
  const isPlain = !plain.trimStart().startsWith("[") && items.every((item) => isPlainItem(item));
  return isPlain ? plain : JSON.stringify(items);
}

const isPlainItem = (item: string): boolean => item !== "" && !item.includes(",") && item === item.trim();

/** Converts the values of a run to text, as the initial values of a form. */
export const toTexts = (values: Readonly<Record<string, unknown>>): ValueTexts =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? toListText(value.map(String)) : String(value),
    ]),
  );

/** The definitions with these values as their defaults. */
export function withDefaults(
  definitions: readonly ParameterDefinition[],
  values: Readonly<Record<string, unknown>>,
): ParameterDefinition[] {
  const texts = toTexts(values);
  return definitions.map((definition) => {
    const text = texts[definition.name];
    return text === undefined ? definition : { ...definition, defaultValue: text };
  });
}

/** The definition of a placeholder without one: a string without a default. */
export const plainDefinition = (name: string): ParameterDefinition => ({
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

/** The same with one definition for each placeholder, then those that the SQL does not use now. */
export function withAllDefined<Inputs extends ParameterInputs>(
  placeholders: readonly string[],
  inputs: Inputs,
): Inputs {
  const others = inputs.definitions.filter(({ name }) => !placeholders.includes(name));
  return { ...inputs, definitions: [...definitionsFor(placeholders, inputs.definitions), ...others] };
}

/** What the field of a parameter is called. */
export const labelOf = ({ displayName, name }: Pick<ParameterDefinition, "displayName" | "name">): string =>
  displayName === "" ? name : displayName;

/** Whether a run has the values of these texts, or of the defaults of those that are missing. */
export function hasValuesOf(
  run: { parameterValues: ParameterValues },
  definitions: readonly ParameterDefinition[],
  texts: ValueTexts,
): boolean {
  try {
    const values = definitions.flatMap(({ name, type, defaultValue }) => {
      const [context, text] = [{ name, type, clock: pageClock }, texts[name]];
      if (text !== undefined) return [[name, parseParameterValue(context, toValue(type, text))]];
      return defaultValue === undefined ? [] : [[name, parseDefaultValue(context, defaultValue)]];
    });
    return isSameJson(Object.fromEntries(values), run.parameterValues);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return false;
  }
}

/** Whether the same is typed, in any order. */
export const isSameTexts = (one: ValueTexts, other: ValueTexts): boolean => isSameJson(one, other);

/** Writes values on one line: since = 2026-01-01, until = 2026-02-01. */
export const describeValues = (values: Readonly<Record<string, unknown>>): string =>
  Object.entries(toTexts(values))
    .map(([name, text]) => `${name} = ${text}`)
    .join(", ");

/** Sets the text of one parameter, and removes those whose choices depend on it. */
export function withText(
  values: ValueTexts,
  { name, text, choices }: { name: string; text: string; choices: ParameterInputs["choices"] },
): ValueTexts {
  const gone = dependents(name, choices);
  const others = Object.entries(values).filter(([other]) => other !== name && !gone.has(other));
  return Object.fromEntries(text === "" ? others : [...others, [name, text]]);
}

/** The parameters whose choices depend on this one, directly or over others. */
function dependents(name: string, choices: ParameterInputs["choices"]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (above: string) => {
    for (const [other, offered] of Object.entries(choices)) {
      if (offered.kind !== "query" || found.has(other) || !offered.dependsOn.includes(above)) continue;
      found.add(other);
      visit(other);
    }
  };
  visit(name);
  return found;
}
