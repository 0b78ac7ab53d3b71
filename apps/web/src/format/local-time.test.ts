import { expect, test } from "vitest";
import { fromLocalInput, toLocalInput } from "./local-time.ts";

test("a moment in an input is read back as the same minute, in any zone", () => {
  for (const at of ["2026-11-15T12:34:00.000Z", "2027-03-28T01:30:00.000Z", "2026-01-01T00:00:00.000Z"]) {
    expect(fromLocalInput(toLocalInput(at))).toBe(at);
  }
});

test("an empty or incomplete input is no moment", () => {
  expect(fromLocalInput("")).toBeUndefined();
  expect(fromLocalInput("2026-11")).toBe("2026-11-01T00:00:00.000Z");
  expect(fromLocalInput("soon")).toBeUndefined();
});
