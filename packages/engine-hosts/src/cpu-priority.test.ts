import { expect, onTestFinished, test, vi } from "vitest";
import { messageDescriptor } from "./channel/descriptors.ts";
import { encodeFrame } from "./channel/frames.ts";
import { EngineHost } from "./engine-host.ts";
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
