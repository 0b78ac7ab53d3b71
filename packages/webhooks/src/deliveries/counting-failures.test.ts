import type { Clock } from "@querybell/domain";
import { expect } from "vitest";
import { z } from "zod";
import { pumpTest } from "../testing/pump-test.ts";

const FailureNotice = z.object({ endpointId: z.string(), failures: z.int() });

const rounds = 12;
const endpointsEach = 4;
const eventsEach = 14;

/** Each call is a millisecond later than the last, so that no two attempts end at the same time. */
function tickingClock(start: Date): Clock {
  let time = start.getTime();
  return { now: () => new Date(++time) };
}

/** What the contract demands, computed one outcome after the other. */
function fold(outcomes: boolean[]) {
  const notified: number[] = [];
  let failures = 0;
  for (const succeeded of outcomes) {
    failures = succeeded ? 0 : failures + 1;
    if (!succeeded && [1, 3, 5].includes(failures)) notified.push(failures);
    if (failures === 5) return { state: "disabled", failures, notified };
  }
  return { state: "enabled", failures, notified };
}

pumpTest(
  "events exhausting at once, with successes between, on three pumps: the count is that of the outcomes in order",
  async ({ hooks, db, clock }) => {
    const random = seeded(20261115);
    const receiver = await hooks.receiver((response) => response.writeHead(random() < 0.3 ? 200 : 500).end());
    const ticking = tickingClock(clock.now());
    const seen = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      const owner = await hooks.owner();
      const endpoints = [];
      for (let index = 0; index < endpointsEach; index++) {
        endpoints.push(await hooks.endpoint(owner, `${receiver.url}/${index}`, { maxInFlight: 8 }));
      }
      await hooks.emitNearlyExhausted(owner, eventsEach);
      const pumps = await Promise.all([1, 2, 3].map(() => hooks.pump({ clock: ticking })));
      await Promise.all(pumps.map((pump) => pump.drain()));
      await Promise.all(pumps.map((pump) => pump.stop()));

      const notifications = await db.prisma.notification.findMany({ where: { userId: owner.userId } });
      for (const { id } of endpoints) {
        const attempts = await db.prisma.webhookAttempt.findMany({
          where: { delivery: { endpointId: id } },
          orderBy: { endedAt: "asc" },
        });
        const expected = fold(attempts.map(({ outcome }) => outcome === "success"));
        const { state, consecutiveFailures } = await db.prisma.webhookEndpoint.findUniqueOrThrow({
          where: { id },
        });
        expect({ state, failures: consecutiveFailures }).toEqual({
          state: expected.state,
          failures: expected.failures,
        });
        const notified = notifications.flatMap(({ detail }) => {
          const { endpointId, failures } = FailureNotice.parse(detail);
          return endpointId === id ? [failures] : [];
        });
        expect(notified.sort()).toEqual(expected.notified.sort());
        seen.add(state);
        const states = new Set(await hooks.states(id));
        expect(states.has("pending")).toBe(false);
        expect(states.has("held")).toBe(state === "disabled" && attempts.length < eventsEach);
      }
    }
    // Both cases must have occurred, or the test would show only half of what it says.
    expect(seen).toEqual(new Set(["enabled", "disabled"]));
  },
);

/** A random generator with a seed (mulberry32): the same numbers each time. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
