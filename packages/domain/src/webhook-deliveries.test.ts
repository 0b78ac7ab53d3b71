import { expect, test } from "vitest";
import { maxWebhookAttempts, nextAttemptAt } from "./webhook-deliveries.ts";

const endedAt = new Date("2026-11-15T12:00:00.000Z");
const wait = (attempt: number, chance: number) => {
  const next = nextAttemptAt(attempt, endedAt, () => chance);
  return next && (next.getTime() - endedAt.getTime()) / 1000;
};

test.each([
  [1, 30],
  [2, 120],
  [3, 480],
  [4, 1_920],
  [5, 7_200],
  [6, 30_600],
  [7, 86_400],
])("after attempt %i the wait is %i s, and up to a tenth more by chance", (attempt, seconds) => {
  expect(wait(attempt, 0)).toBe(seconds);
  expect(wait(attempt, 0.5)).toBeCloseTo(seconds * 1.05, 2);
  expect(wait(attempt, 0.999)).toBeLessThan(seconds * 1.1);
});

test("the eighth failure is the last", () => {
  expect(maxWebhookAttempts).toBe(8);
  expect(wait(8, 0)).toBeUndefined();
});
