import { expect, onTestFinished, test, vi } from "vitest";
import { encodeFrame } from "./channel/channel.ts";
import { CpuBudget } from "./cpu-priority.ts";
import { EngineHost } from "./engine-host.ts";
import { messageDescriptor } from "./isolation/isolation.ts";
import { hostPids, nicenessOf } from "./testing/host-processes.ts";
import { startingInstead } from "./testing/hostile-isolation.ts";

test("a host that computes without a task gets a lower CPU priority", async () => {
  const ready = encodeFrame(JSON.stringify({ kind: "ready" })).toString("base64");
  const program = `
    require("node:fs").writeSync(${messageDescriptor}, Buffer.from("${ready}", "base64"));
    for (;;);`;
  // Its last argument makes `hostPids` find it.
  const args = ["--eval", program, "host-process.ts"];
  const isolation = startingInstead({ program: process.execPath, args });
  const others = hostPids();
  const host = new EngineHost({ isolation, databaseFiles: [], graceMs: 1 });
  onTestFinished(() => host.stop());
  const niceness = () => {
    const started = hostPids().filter((pid) => !others.includes(pid));
    return Math.min(...started.flatMap(nicenessOf));
  };
  await vi.waitFor(() => expect(niceness()).toBe(15), { timeout: 60_000 });
});

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
