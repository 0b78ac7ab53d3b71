import { fitToBudget } from "./fit-to-budget.ts";
import type { Report } from "./report.ts";

const maxLength = 600;

/** A short summary, in plain text, of what a run looked at. */
export function writeDigest(reports: readonly Report[]): string {
  if (reports.length === 0) return "There was no result to look at.";
  return fitToBudget(reports, maxLength);
}
