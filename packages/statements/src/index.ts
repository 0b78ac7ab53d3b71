export { type ParameterArgument, toArgument } from "./parameters/argument.ts";
export { parseDefaultValue, parseParameterValue } from "./parameters/parse-value.ts";
export { type GivenValues, type ResolvedValues, resolveValues } from "./parameters/resolve-values.ts";
export { type CompiledStatement, compileStatement } from "./placeholders/compile-statement.ts";
export type { BoundType, Dialect, Slot } from "./placeholders/dialect.ts";
export { Origin, originOf } from "./placeholders/origins.ts";
export { checkPlaceholders, parseStatement, type Statement } from "./placeholders/statement.ts";
