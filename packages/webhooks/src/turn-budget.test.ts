import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createTurnBudget } from "./turn-budget.ts";

test("what exceeds the budget of a turn continues in the next ones", async () => {
  let left = 10;
  const perTurn: number[] = [];
  const budget = createTurnBudget(4, work);
  function work(): void {
    const before = left;
    while (left > 0 && budget.take()) left -= 1;
    perTurn.push(before - left);
  }
  work();
  expect(budget.isExceeded).toBe(true);
  while (budget.isExceeded) await turn();
  expect(perTurn).toEqual([4, 4, 2]);
});

test("a budget that suffices calls nothing", async () => {
  let calls = 0;
  const budget = createTurnBudget(2, () => {
    calls += 1;
  });
  expect([budget.take(), budget.take()]).toEqual([true, true]);
  await turn();
  await turn();
  expect([budget.take(), calls]).toEqual([true, 0]);
});
