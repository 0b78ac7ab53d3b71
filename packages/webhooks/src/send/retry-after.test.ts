import { expect, test } from "vitest";
import { readRetryAfterMs } from "./retry-after.ts";

const now = new Date("2026-11-18T12:00:00Z");
const body = { body: new Uint8Array(), bodyBytes: 0, bodyEnd: "complete" as const };

test.each([
  ["slack", 429, "30", 30_000],
  ["discord", 429, "0.35", 1_000],
  ["teams", 503, "Wed, 18 Nov 2026 12:05:00 GMT", 300_000],
  ["slack", 429, "0", 1_000],
  ["slack", 429, "999999999", 86_400_000],
  ["slack", 429, "soon", undefined],
  ["slack", 429, undefined, undefined],
  ["slack", 500, "30", undefined],
  ["webhook", 429, "30", undefined],
] as const)("%s answers %i with Retry-After %s", (kind, status, value, expected) => {
  const headers = value === undefined ? {} : { "retry-after": value };
  expect(readRetryAfterMs({ kind }, { status, headers, ...body }, now)).toBe(expected);
});
