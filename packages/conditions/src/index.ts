export { evaluateRule, type RuleOutcome, type Told } from "./evaluate/evaluate-rule.ts";
export type { ChangedRow, Evidence, Fact } from "./evaluate/outcomes.ts";
export { type PastRun, replayRule, summarizeReplay } from "./evaluate/replay.ts";
export { problemOfKey } from "./evaluate/rows-changed.ts";
export { type JudgedRun, JudgeTask } from "./judge/judge-task.ts";
export type { ReplayedResults, ReplayTask } from "./judge/replay-task.ts";
export { judgeSeries, SeriesJudge } from "./ordinary/judge-series.ts";
export { tryLine } from "./ordinary/try-line.ts";
export { type Explanation, explainChange } from "./why/explain-change.ts";
