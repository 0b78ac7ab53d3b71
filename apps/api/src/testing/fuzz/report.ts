import type { Form } from "./forms.ts";
import type { HttpAnswer } from "./send-call.ts";

interface Worst {
  ms: number;
  operation: string;
}

export interface FuzzReport {
  calls: number;
  rounds: number;
  failures: string[];
  /** How many answers had each status. */
  statuses: Map<number, number>;
  succeeded: Set<string>;
  slowest: Worst;
  longestBlock: Worst;
  highestMemoryMb: number;
}

export const emptyReport = (): FuzzReport => ({
  calls: 0,
  rounds: 0,
  failures: [],
  statuses: new Map(),
  succeeded: new Set(),
  slowest: { ms: 0, operation: "none" },
  longestBlock: { ms: 0, operation: "none" },
  highestMemoryMb: 0,
});

interface CountedCall {
  operation: string;
  form: Form;
}

export function countAnswer(
  report: FuzzReport,
  { operation, form }: CountedCall,
  answer: HttpAnswer | undefined,
): void {
  report.calls++;
  if (!answer) return;
  const { status, text, ms } = answer;
  report.statuses.set(status, (report.statuses.get(status) ?? 0) + 1);
  // Another method may succeed whatever the input, and a batch or a stream although a call in it has failed.
  const isItsOwn = form.method === undefined && form.batch === 0 && !/"httpStatus":\d/.test(text);
  if (isItsOwn && status < 300) report.succeeded.add(operation);
  report.slowest = worseOf(report.slowest, { ms, operation });
}

export const worseOf = (one: Worst, other: Worst): Worst => (other.ms > one.ms ? other : one);

export function reportLines(report: FuzzReport, operations: string[]): string[] {
  const { calls, rounds, failures, statuses, slowest, longestBlock, highestMemoryMb } = report;
  const never = operations.filter((name) => !report.succeeded.has(name));
  const byStatus = [...statuses]
    .toSorted(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`);
  return [
    `${calls} calls of ${operations.length} operations in ${rounds} rounds, ${failures.length} failures.`,
    `${operations.length - never.length} operations have succeeded at least once.`,
    `Answers by status: ${byStatus.join(", ")}.`,
    `The slowest call took ${Math.round(slowest.ms)} ms (${slowest.operation}).`,
    `The event loop was blocked for ${longestBlock.ms} ms of CPU time at most (${longestBlock.operation}).`,
    `The api used ${Math.round(highestMemoryMb)} MiB of memory at most.`,
    ...(never.length > 0 ? [`Never succeeded: ${never.join(", ")}.`] : []),
  ];
}
