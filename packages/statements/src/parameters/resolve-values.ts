import {
  AppError,
  type Clock,
  type DateRange,
  type ParameterDefinition,
  type ParameterType,
  type ParameterValue,
  type ParameterValues,
} from "@querybell/domain";
import type { BoundType, BoundValue } from "../placeholders/dialect.ts";
import type { Statement } from "../placeholders/statement.ts";
import { StatementSize } from "../placeholders/statement-limits.ts";
import { parseDefaultValue, parseParameterValue } from "./parse-value.ts";

export interface GivenValues {
  definitions: readonly ParameterDefinition[];
  /** What the caller sent; a parameter that is absent takes its default. */
  given: Readonly<Record<string, unknown>>;
  /** Pairs of dates that must be in order. */
  ranges?: readonly DateRange[];
  clock: Clock;
}

interface ResolvedValues {
  /** The form that is stored with the run and compared with other runs' values. */
  parameterValues: ParameterValues;
  parameters: ReadonlyMap<string, ParameterArgument>;
}

/**
 * Finds a value for every placeholder of a statement, sorted by name, so that equal values have equal JSON. Refuses
 * with `unknown_placeholder`, `invalid_parameter_value` or `missing_parameter_values`,
 * `statement_too_large`.
 */
export function resolveValues(
  statement: Pick<Statement, "placeholders">,
  { definitions, given, ranges = [], clock }: GivenValues,
): ResolvedValues {
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  refuseUnknownNames(given, byName);
  const parameterValues: ParameterValues = {};
  const parameters = new Map<string, ParameterArgument>();
  const missing: string[] = [];
  /** Parameters whose value is the text that was sent or defined, unlike that of a relative date. */
  const literal = new Set<string>();
  // Each value is used at least once, so values that are too long here are too long for the statement.
  const size = new StatementSize();

  for (const name of statement.placeholders.toSorted()) {
    const definition = byName.get(name);
    if (!definition)
      throw new AppError("unknown_placeholder", `No parameter is defined for {{${name}}}. Define it.`);
    const context = { name, type: definition.type, clock };
    const sent = Object.hasOwn(given, name) ? given[name] : undefined;
    if (sent === undefined && definition.defaultValue === undefined) {
      missing.push(name);
      continue;
    }
    const value =
      sent === undefined
        ? parseDefaultValue(context, definition.defaultValue ?? "")
        : parseParameterValue(context, sent);
    parameterValues[name] = value;
    if (value === (sent ?? definition.defaultValue)) literal.add(name);
    const argument = toArgument(definition.type, value);
    size.addValues(argument.kind === "scalar" ? [argument.value] : argument.values);
    parameters.set(name, argument);
  }
  if (missing.length > 0) refuseMissing(missing);
  const isDay = (name: string) => byName.get(name)?.type === "date" && literal.has(name);
  refuseWrongOrder(
    ranges.filter(({ start, end }) => isDay(start) && isDay(end)),
    parameterValues,
  );
  return { parameterValues, parameters };
}

function refuseUnknownNames(given: object, byName: ReadonlyMap<string, unknown>): void {
  const unknown = Object.keys(given).filter((name) => !byName.has(name));
  if (unknown.length === 0) return;
  throw new AppError(
    "invalid_parameter_value",
    `There is no parameter called ${unknown.join(", ")}. Leave it out, or correct its name.`,
    { errors: unknown.map((name) => ({ path: `parameterValues.${name}`, message: "is not a parameter" })) },
  );
}

function refuseMissing(names: string[]): never {
  throw new AppError(
    "missing_parameter_values",
    `${names.map((name) => `{{${name}}}`).join(", ")} has neither a value nor a default. Send a value, or define a default.`,
    { errors: names.map((name) => ({ path: `parameterValues.${name}`, message: "is required" })) },
  );
}

/**
 * A range of two days must not end before it starts. Relative dates may: on the first of a month, a range from its start
 * to yesterday has no days, and an automation with it must not fail.
 */
function refuseWrongOrder(ranges: readonly DateRange[], values: ParameterValues): void {
  const wrong = ranges.find(({ start, end }) => endsBeforeStart(values[start], values[end]));
  if (!wrong) return;
  const { start, end } = wrong;
  throw new AppError(
    "invalid_parameter_value",
    `The range ends before it starts: {{${start}}} is ${values[start]}, and {{${end}}} is ${values[end]}. Choose an end on or after the start.`,
    { errors: [{ path: `parameterValues.${end}`, message: "is before the start of the range" }] },
  );
}

/** Compares days like 2026-01-31. */
const endsBeforeStart = (start: ParameterValue | undefined, end: ParameterValue | undefined): boolean =>
  typeof start === "string" && typeof end === "string" && end < start;

/** A parameter's value, ready to be bound. */
export type ParameterArgument =
  | { kind: "scalar"; value: BoundValue }
  | { kind: "list"; elementType: BoundType; values: BoundValue[] };

/** Takes a value in its stored form, as `parseParameterValue` gives it. */
export function toArgument(type: ParameterType, value: ParameterValue): ParameterArgument {
  if (!Array.isArray(value))
    return { kind: "scalar", value: { type: boundType(type, value), text: String(value) } };
  const values = value.map(
    (item): BoundValue => ({ type: boundType(elementTypeOf(type), item), text: String(item) }),
  );
  // A list has one type: the wider one if any of its integers needs it.
  const wide = values.some((item) => item.type === "int8");
  const elementType = wide ? "int8" : boundType(elementTypeOf(type), 0);
  return { kind: "list", elementType, values: values.map((item) => ({ ...item, type: elementType })) };
}

const elementTypeOf = (type: ParameterType) =>
  type === "integer[]" ? "integer" : type === "number[]" ? "number" : "string";

function boundType(type: ParameterType, value: string | number | boolean): BoundType {
  switch (type) {
    case "string":
      return "text";
    // The type of the same digits as a literal, because functions that take an int4 refuse an int8.
    case "integer":
      return BigInt.asIntN(32, BigInt(value)) === BigInt(value) ? "int4" : "int8";
    case "number":
    case "boolean":
    case "date":
    case "timestamp":
      return type;
    default:
      throw new AppError("invalid_parameter_value", `A parameter of the type ${type} takes a list.`);
  }
}
