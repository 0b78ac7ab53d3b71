export { CheckedLine, checkLine } from "./checked-summaries/check-line.ts";
export {
  type BoundSlot,
  bindSummary,
  type CheckedSentence,
  fillSentence,
  publishSummary,
  readResultsText,
  type SummaryResult,
} from "./checked-summaries/check-summary.ts";
export { phrases } from "./checked-summaries/phrases/phrases.ts";
export { problemOfName, quoteName } from "./checked-summaries/safe-name.ts";
export { Language } from "./checked-summaries/slot.ts";
export { Database, dialectOf, type EngineKind } from "./databases.ts";
export { replaceInvisible } from "./digest/plain-text.ts";
export type { Report } from "./digest/report.ts";
export { writeDigest } from "./digest/write-digest.ts";
export type { Column, Table } from "./engine.ts";
export type { HostExit, TaskOptions, WaitOptions } from "./host/engine-host.ts";
export {
  type CompletedRun,
  type ComputeOutcome,
  type ComputeRequest,
  createEngineHosts,
  type DatabaseRequest,
  type EngineHosts,
  type EngineHostsOptions,
  type HostResolution,
  type RunOutcome,
  type RunRequest,
  type StoredResult,
} from "./host/engine-hosts.ts";
export {
  findIsolation,
  IsolationError,
  isolationSettings,
} from "./host/isolation/find-isolation.ts";
export type { Isolation } from "./host/isolation/isolation.ts";
export { findProgramFiles } from "./host/isolation/program-files.ts";
export type { EngineFailure } from "./host/messages.ts";
export type { KnownServers, WithheldReason } from "./host/server-attempt.ts";
export type { TableChangeOutcome, UploadPreviewOutcome } from "./host/upload-hosts.ts";
export { type ParameterArgument, toArgument } from "./parameters/argument.ts";
export { parseDefaultValue, parseParameterValue } from "./parameters/parse-value.ts";
export { type GivenValues, type ResolvedValues, resolveValues } from "./parameters/resolve-values.ts";
export { type CompiledStatement, compileStatement } from "./placeholders/compile-statement.ts";
export type { Dialect } from "./placeholders/dialect.ts";
export { Origin, originOf } from "./placeholders/origins.ts";
export { checkPlaceholders, parseStatement, type Statement } from "./placeholders/statement.ts";
export type { JsonValue } from "./results/json-value.ts";
export { ResultAggregate } from "./stored-results/aggregate-result.ts";
export type { OperationAnswer, ResultOperation } from "./stored-results/operations.ts";
export { ResultPage } from "./stored-results/read-page.ts";
export { maxReadableBytes } from "./stored-results/result-table.ts";
export type { StoredTable, TableChange, UploadedFile, UploadRefusal } from "./uploads/upload-tasks.ts";
