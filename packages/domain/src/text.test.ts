import { expect, test } from "vitest";
import { nameUpTo, OneLine } from "./text.ts";

test.for([
  "\n",
  "\r",
  "\r\n",
  "\t",
  "\u0085",
  "\u2028",
  "\u2029",
  "\u200e",
  "\u061c",
  "\u202e",
  "\u2066",
  "\u001b",
])("a name with %j in it is refused", (character) => {
  const { error } = nameUpTo(100).safeParse(`Revenue${character}by month`);
  expect(error?.issues[0]?.message).toMatch(/one line/);
});

test("a name is trimmed, and may have any letters and emoji", () => {
  for (const name of ["Umsätze – 売上", "می‌خواهم", "👩‍👩‍👧 families", "שלום"]) {
    expect(nameUpTo(100).parse(` ${name}\n`)).toBe(name);
  }
  expect(OneLine.parse("  ")).toBe("");
  expect(nameUpTo(3).safeParse("four").error?.issues[0]?.message).toBe("must have at most 3 characters");
});
