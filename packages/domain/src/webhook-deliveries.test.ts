import { expect, test } from "vitest";
import { maxWebhookAttempts, nextAttemptAt, type WebhookEndpointKind } from "./webhook-deliveries.ts";

const endedAt = new Date("2026-11-15T12:00:00.000Z");
const wait = (number: number, chance: number, kind: WebhookEndpointKind = "webhook") => {
  const next = nextAttemptAt({ kind, number, endedAt }, () => chance);
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

test("a subscription over MCP gets seven attempts, the second after a few seconds", () => {
  const waits = [1, 2, 3, 4, 5, 6, 7].map((number) => wait(number, 0, "mcp"));
  expect(waits).toEqual([5, 30, 120, 480, 1_920, 7_200, undefined]);
});
