import { describeResult } from "./describe-result.ts";
import type { LookedAt } from "./digest-table.ts";
import { fitToBudget } from "./fit-to-budget.ts";

const maxLength = 600;

/**
 * A short summary in plain text of what a run looked at. Every number in it is a cell, a count, a total, an
 * extreme, a difference or a percentage of these, computed with all digits.
 */
export function writeDigest(looked: readonly LookedAt[]): string {
  if (looked.length === 0) return "There was no result to look at.";
  return fitToBudget(looked.map(describeResult), maxLength);
}
