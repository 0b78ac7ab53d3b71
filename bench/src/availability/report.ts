import { longestGap, type Seen } from "./load.ts";
import type { findLosses } from "./losses.ts";

/** Errors that are not the fault of a caller and that no operator expects. */
const unexpected = /^((result \d+ )?(internal|not_found)|fetch failed|The operation was aborted)/;

/** Prints what was counted. Sets the exit code if something was lost or wrong. */
export function report(
  losses: Awaited<ReturnType<typeof findLosses>>,
  seen: Seen,
  log: ReadonlyMap<string, number>,
): string {
  const calls = seen.successes.call.length;
  const errors = [...seen.errors].toSorted(([, one], [, other]) => other - one);
  console.log(`${calls} calls were answered. Errors: ${JSON.stringify(Object.fromEntries(errors))}`);
  for (const [message, count] of [...log].toSorted(([, one], [, other]) => other - one).slice(0, 15)) {
    console.log(`  logged ${count} times: ${message}`);
  }
  for (const sentence of seen.wrong.slice(0, 10)) console.error(`Wrong: ${sentence}`);
  const unnamed = errors.filter(([name]) => unexpected.test(name)).reduce((sum, [, count]) => sum + count, 0);
  const { confirmed, lostRuns, lostEvents, lostQueryRuns, unfinished, duplicates } = losses;
  if (lostRuns + lostEvents + lostQueryRuns + unfinished + seen.wrong.length + unnamed > 0)
    process.exitCode = 1;
  const errorCount = errors.reduce((sum, [, count]) => sum + count, 0);
  return `calls=${calls} errors=${errorCount} unexpected=${unnamed} completions=${confirmed} lost_events=${lostEvents} lost_runs=${lostRuns + lostQueryRuns} wrong=${seen.wrong.length} unfinished=${unfinished} duplicates=${duplicates}`;
}

/** The longest time in which nothing of a kind succeeded, in seconds. */
export const describeGaps = ({ successes }: Seen, from: number, until: number): string =>
  Object.entries(successes)
    .map(([kind, times]) => `${kind} ${longestGap(times, from, until).toFixed(1)} s`)
    .join(", ");
