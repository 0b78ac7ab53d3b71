import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { EngineHost } from "./engine-host.ts";
import { noIsolation } from "./isolation/methods.ts";
import { intervalAfter, MemoryLimit, usedBytes } from "./memory-limit.ts";

/** A process that fills memory when it gets a line. */
async function startHoarder(): Promise<{ pid: number; fill(): void }> {
  const program = `
    const kept = [];
    process.stdin.on("data", () => kept.push(Buffer.alloc(100e6, 1)));
    console.log("ready");`;
  const child = spawn(process.execPath, ["--eval", program], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return { pid: child.pid ?? 0, fill: () => child.stdin.write("x") };
}

test("a process that fills its memory exceeds its limit, and another one does not", async () => {
  const [first, second] = await Promise.all([startHoarder(), startHoarder()]);
  const exceeded: string[] = [];
  const passed = Promise.withResolvers<void>();
  const limitOf = (name: string, pid: number) => ({
    bytes: (usedBytes(pid) ?? 0) + 50e6,
    onExceeded: () => {
      exceeded.push(name);
      passed.resolve();
    },
  });
  using limits = new DisposableStack();
  for (const [name, { pid }] of Object.entries({ first, second })) {
    limits.adopt(new MemoryLimit(pid, limitOf(name, pid)), (limit) => limit.stop());
  }
  second.fill();
  await passed.promise;
  expect(new Set(exceeded)).toEqual(new Set(["second"]));
});

test("an idle host that holds too much memory is killed", async () => {
  const host = new EngineHost({ isolation: noIsolation, databaseFiles: [], graceMs: 1000, maxIdleBytes: 1 });
  expect(await host.exit).toMatchObject({ signal: "SIGKILL" });
  expect(host.wasStopped).toBe(false);
});

test("however long it takes to measure all processes, it takes at most a hundredth of a core", () => {
  expect(intervalAfter(0.1)).toBe(50);
  for (const cpuMs of [0.6, 5, 300]) expect(cpuMs / intervalAfter(cpuMs)).toBeLessThanOrEqual(0.01);
});
