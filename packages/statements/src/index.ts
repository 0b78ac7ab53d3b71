export { checkInputs, refuseSystemDefinitions } from "./parameters/check-inputs.ts";
export { parseDefaultValue, parseItem } from "./parameters/parse-value.ts";
export { resolveValues, toArgument } from "./parameters/resolve-values.ts";
export {
  type CompiledStatement,
  compileStatement,
  Origin,
  originOf,
} from "./placeholders/compile-statement.ts";
export type { BoundType, Dialect, Slot } from "./placeholders/dialect.ts";
export { checkPlaceholders, parseStatement, type Statement } from "./placeholders/statement.ts";
