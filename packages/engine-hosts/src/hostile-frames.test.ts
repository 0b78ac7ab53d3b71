import { DatabaseLimits } from "@querybell/domain";
import { databaseOf, dataFolder } from "@querybell/engines/testing/real-databases";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { EngineHost } from "./engine-host.ts";
import { createEngineHosts, type RunRequest } from "./index.ts";
import { firstInputDescriptor, messageDescriptor } from "./isolation/isolation.ts";
import type { Task } from "./messages.ts";
import { fuzzedTaskId, hostileBytes } from "./testing/hostile-frames.ts";
import { startingInstead } from "./testing/hostile-isolation.ts";
import { resolveAnyHost } from "./testing/resolve-any-host.ts";

const frames = Number(process.env.FUZZ_FRAMES ?? 5000);
const seed = Number(process.env.FUZZ_SEED ?? 1);
const hostsAtOnce = 8;

const neighbours = createEngineHosts({ size: 1, resolveHost: resolveAnyHost, dataFolder });
afterAll(() => neighbours.close());
const request: RunRequest = {
  organizationId: "one",
  database: databaseOf("duckdb"),
  statement: { text: "SELECT 1", values: [] },
};

/** Performs a task in a process that sends these bytes and ends. */
async function performWith(bytes: Uint8Array) {
  const copy = `exec cat <&${firstInputDescriptor} >&${messageDescriptor}`;
  const isolation = startingInstead({ program: "/bin/sh", args: ["-c", copy], inputs: [bytes] });
  const host = new EngineHost({ isolation, databaseFiles: [], graceMs: 60_000 });
  const task: Task = {
    kind: "check",
    id: fuzzedTaskId,
    organizationId: "one",
    limits: DatabaseLimits.parse({}),
    readableFiles: [],
    unreadableFiles: [],
    unreachablePid: 0,
  };
  const { answer } = await host.sendTask({ task });
  await host.stop();
  return answer;
}

test(`${frames} random, mutated, cut and flooding frames end their hosts and nothing else`, async () => {
  let sent = 0;
  for (let round = seed; sent < frames; round++) {
    const hostile = fc.sample(hostileBytes, { seed: round, numRuns: hostsAtOnce });
    const neighbour = neighbours.run(request);
    const answers = await Promise.all(hostile.map(({ bytes }) => performWith(bytes)));
    for (const answer of answers) {
      expect(answer, `seed ${round}`).toMatchObject({ kind: "failed", failure: { code: "engine_crashed" } });
    }
    expect(await neighbour, `seed ${round}`).toMatchObject({ kind: "completed", rowCount: 1 });
    sent += hostile.reduce((sum, { frameCount }) => sum + frameCount, 0);
  }
});
