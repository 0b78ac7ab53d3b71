export { checkLine } from "./checked-summaries/check-line.ts";
export {
  type BoundSlot,
  bindSummary,
  type FilledSentence,
  fillSentence,
  publishSummary,
  readResultsText,
  type SummaryResult,
} from "./checked-summaries/check-summary.ts";
export { phrases } from "./checked-summaries/phrases/phrases.ts";
export { problemOfName, quoteName } from "./checked-summaries/safe-name.ts";
export { Language } from "./checked-summaries/slot.ts";
export type { Report } from "./digest/facts.ts";
export { writeDigest } from "./digest/write-digest.ts";
export {
  GroupRows,
  ResultAggregate,
  type ResultOperation,
  ResultPage,
  type ResultSummary,
  type RowSplit,
  type SplitRows,
} from "./stored-results/operations.ts";
export { maxReadableBytes } from "./stored-results/result-table.ts";
