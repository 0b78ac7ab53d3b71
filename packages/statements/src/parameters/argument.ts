import { AppError, type ParameterType, type ParameterValue } from "@querybell/domain";
import type { BoundType, BoundValue } from "../placeholders/dialect.ts";

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
