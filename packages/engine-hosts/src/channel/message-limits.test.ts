import { expect, test } from "vitest";
import { ChannelViolation } from "./channel.ts";
import { MessageBudget } from "./message-limits.ts";

test("a run can report its progress four times a second for a day", () => {
  let nowMs = 0;
  const budget = new MessageBudget(() => nowMs);
  for (; nowMs < 86_400_000; nowMs += 250) budget.spend(200);
});

test("a host that sends thousands of messages at once, or many large ones, has no more to spend", () => {
  const many = new MessageBudget(() => 0);
  const large = new MessageBudget(() => 0);
  expect(() => {
    for (let message = 0; message < 5000; message++) many.spend(1);
  }).toThrow(ChannelViolation);
  expect(() => {
    for (let message = 0; message < 50; message++) large.spend(1024 ** 2);
  }).toThrow(ChannelViolation);
});
