import { expect, test } from "vitest";
import { durationText } from "./duration.ts";

test.for([
  [0, "under a second"],
  [400, "under a second"],
  [1000, "1 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [83_000, "1 min 23 s"],
  [3_600_000, "1 h"],
  [5_520_000, "1 h 32 min"],
] as const)("%i ms is %s", ([ms, words]) => {
  expect(durationText(ms)).toBe(words);
});
