export { compareResults, type DifferencesFile, getDifferences } from "./compare-results.ts";
export { keepResults } from "./keep-results.ts";
export { listPastResults } from "./list-past-results.ts";
export { getPastResultOfRun } from "./read-past-result.ts";
export { thinResults } from "./thin-results.ts";
