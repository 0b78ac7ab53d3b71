import { expect, test } from "vitest";
import { CpuBudget } from "./cpu-budget.ts";

test("a quarter of a second of CPU time at once does not spend it, and the start is not counted", () => {
  const budget = new CpuBudget();
  budget.count(5_000, 0);
  budget.count(5_240, 240);
  expect(budget.isSpent).toBe(false);
  budget.count(5_400, 400);
  expect(budget.isSpent).toBe(true);
});

test("a tenth of a core can be used continuously", () => {
  const budget = new CpuBudget();
  for (let second = 0; second < 1_000; second++) budget.count(second * 100, second * 1_000);
  expect(budget.isSpent).toBe(false);
});

test("once spent, it stays spent until half of it is refilled", () => {
  const budget = new CpuBudget();
  budget.count(0, 0);
  budget.count(500, 250);
  expect(budget.isSpent).toBe(true);
  budget.count(500, 3_650);
  expect(budget.isSpent).toBe(true);
  budget.count(500, 3_850);
  expect(budget.isSpent).toBe(false);
});

test("an idle hour refills no more than was there at first", () => {
  const budget = new CpuBudget();
  budget.count(0, 0);
  budget.count(0, 3_600_000);
  budget.count(300, 3_600_300);
  expect(budget.isSpent).toBe(true);
});
