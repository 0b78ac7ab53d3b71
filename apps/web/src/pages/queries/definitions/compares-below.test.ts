import { expect, test } from "vitest";
import { comparesBelow } from "./compares-below.ts";

test.for([
  ["WHERE day >= {{since}} AND day < {{until}}", true],
  ["WHERE day >= {{since}} AND day <{{ until }} + 1", true],
  ["WHERE day BETWEEN {{since}} AND {{until}}", false],
  ["WHERE day >= {{since}} AND day <= {{until}}", false],
  ["WHERE day < {{since}} AND day <> {{until}}", false],
] as const)("whether %j ends before {{until}}: %s", ([sql, isBelow]) => {
  expect(comparesBelow(sql, "until")).toBe(isBelow);
});
