import type {
  Choices,
  Clock,
  DateRange,
  InputError,
  ParameterDefinition,
  ParameterInputs,
} from "@querybell/domain";
import { AppError } from "@querybell/domain/app-error";
import { isSystemName } from "@querybell/domain/system-names";
import { parseDefaultValue, parseItem } from "./parse-value.ts";
import { parseRelativeDate } from "./relative-date.ts";

/** Throws if a default or a choice does not fit its type, or if choices or ranges do not fit the definitions. */
export function checkInputs({ definitions, choices, ranges }: ParameterInputs, clock: Clock): void {
  refuseSystemDefinitions(definitions);
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  for (const [index, { defaultValue, ...context }] of definitions.entries()) {
    if (defaultValue === undefined) continue;
    atPath(`definitions.${index}.defaultValue`, () => parseDefaultValue({ ...context, clock }, defaultValue));
  }
  for (const [name, offered] of Object.entries(choices)) {
    const definition = byName.get(name);
    if (!definition) refuse(`choices.${name}`, "are of a parameter that is not defined");
    else checkChoices({ ...definition, clock }, offered, byName);
  }
  refuseCycles(choices);
  const grouped = new Set<string>();
  for (const [index, range] of ranges.entries()) {
    const path = `ranges.${index}`;
    for (const name of [range.start, range.end]) {
      if (byName.get(name)?.type !== "date") refuse(path, `needs {{${name}}} to be defined as a date`);
      if (grouped.has(name)) refuse(path, `needs {{${name}}} once: it is used twice`);
      grouped.add(name);
    }
    if (hasDefaultsInWrongOrder(range, byName)) refuse(path, "has defaults that end before they start");
  }
}

/** Relative dates are compared when they are used: on another day they may be in order. */
function hasDefaultsInWrongOrder(
  { start, end }: DateRange,
  byName: ReadonlyMap<string, ParameterDefinition>,
): boolean {
  const [from, to] = [byName.get(start)?.defaultValue, byName.get(end)?.defaultValue];
  if (from === undefined || to === undefined) return false;
  const isRelative = (text: string) => parseRelativeDate(text, new Date(0)) !== undefined;
  return !isRelative(from) && !isRelative(to) && to.trim() < from.trim();
}

type Defined = ParameterDefinition & { clock: Clock };

function checkChoices(
  { name, type, clock }: Defined,
  offered: Choices,
  byName: ReadonlyMap<string, unknown>,
): void {
  const path = `choices.${name}`;
  if (type === "boolean") refuse(path, "are not for true or false, which has its two values");
  if (offered.kind === "query") {
    const unknown = offered.dependsOn.find((one) => !byName.has(one));
    if (unknown) refuse(path, `depend on {{${unknown}}}, which is not defined`);
    return;
  }
  for (const [index, { value }] of offered.items.entries()) {
    atPath(`${path}.items.${index}.value`, () => parseItem({ name, type, clock }, value));
  }
  const values = new Set(offered.items.map(({ value }) => value));
  if (values.size < offered.items.length) refuse(path, "must be different values");
}

/** Throws if the choices of a parameter depend, over others, on its own value. */
function refuseCycles(choices: ParameterInputs["choices"]): void {
  const done = new Set<string>();
  const visit = (name: string, above: readonly string[]) => {
    if (above.includes(name)) {
      const circle = [...above.slice(above.indexOf(name)), name].map((one) => `{{${one}}}`).join(" → ");
      refuse(`choices.${name}`, `depend on each other in a circle: ${circle}`);
    }
    if (done.has(name)) return;
    const offered = Object.hasOwn(choices, name) ? choices[name] : undefined;
    if (offered?.kind === "query") for (const one of offered.dependsOn) visit(one, [...above, name]);
    done.add(name);
  };
  for (const name of Object.keys(choices)) visit(name, []);
}

/** Gives an error of `check` the path of the input that it is about. */
function atPath(path: string, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const errors: InputError[] = (error.errors ?? []).map(({ message }) => ({ path, message }));
    throw new AppError(error.code, error.message, { errors, cause: error });
  }
}

function refuse(path: string, message: string): never {
  throw new AppError("invalid_request", `The parameters do not fit: ${path} ${message}.`, {
    errors: [{ path, message }],
  });
}

/** Throws if a value is defined that is filled in with who runs the query. */
export function refuseSystemDefinitions(definitions: readonly Pick<ParameterDefinition, "name">[]): void {
  const names = definitions.map(({ name }) => name).filter(isSystemName);
  if (names.length === 0) return;
  throw new AppError(
    "invalid_parameter_value",
    `${names.map((name) => `{{${name}}}`).join(", ")} is filled in with who runs the query, and needs no definition. Leave it out.`,
    { errors: names.map((name) => ({ path: `parameters.${name}`, message: "cannot be defined" })) },
  );
}
