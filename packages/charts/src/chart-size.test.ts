import { describe, expect, test } from "vitest";
import { fitMargins } from "./chart-size.ts";

const size = { width: 800, height: 400 };

describe("margins", () => {
  test("are as chosen if they leave half of the chart to the drawing", () => {
    const margins = { top: 100, right: 200, bottom: 100, left: 200 };
    expect(fitMargins(margins, size)).toEqual(margins);
  });

  test("that would leave less are made smaller, in proportion", () => {
    const margins = { top: 1000, right: 24, bottom: 1000, left: 1000 };
    const fitted = fitMargins(margins, size);
    expect(fitted).toMatchObject({ top: 100, bottom: 100 });
    expect(fitted.left + fitted.right).toBeCloseTo(400);
    expect(fitted.left / fitted.right).toBeCloseTo(1000 / 24);
  });
});
