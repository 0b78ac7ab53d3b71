// Emits events, each in a transaction of its own, and reports each, if asked to, once that has committed.
import { setTimeout as delay } from "node:timers/promises";
import { closeDeps, emitEventAlone, openDeps } from "@querybell/core";
import { systemClock } from "@querybell/domain";
import { wallTime } from "./clock-time.ts";
import { numberedEvent } from "./emission.ts";
import { EmissionOrder, type Emitted } from "./emission-order.ts";
import { readEmitterSettings } from "./env.ts";

const deps = openDeps({ settings: readEmitterSettings(), clock: systemClock, onError: () => {} });

async function emit(number: number, organizationId: string): Promise<Emitted> {
  try {
    const id = await emitEventAlone(deps, numberedEvent(deps, { organizationId, number }));
    return { number, id, committedAt: wallTime() };
  } catch {
    // The database is gone for a moment. Whether it committed is unknown, and the number makes trying again safe.
    await delay(100);
    return emit(number, organizationId);
  }
}

async function follow({ organizationIds, numbers, lanes, perSecond, report }: EmissionOrder): Promise<void> {
  const startedAt = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < numbers.length) {
      const position = next++;
      const number = numbers[position] ?? 0;
      const due = perSecond === undefined ? 0 : startedAt + (position * 1000) / perSecond;
      if (due > performance.now()) await delay(due - performance.now());
      const emitted = await emit(number, organizationIds[number % organizationIds.length] ?? "");
      if (report) process.send?.(emitted);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

process.on("message", (message) => void follow(EmissionOrder.parse(message)));
process.on("SIGTERM", async () => {
  await closeDeps(deps);
  process.exit();
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
