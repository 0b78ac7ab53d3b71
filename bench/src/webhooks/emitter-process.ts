// Emits events, so many to a transaction, and reports each transaction, if asked to, once it has committed.
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "@querybell/domain";
import { closeDeps, openDeps } from "@querybell/runtime";
import { emitEvents } from "@querybell/webhooks";
import { wallTime } from "./clock-time.ts";
import { numberedEvent } from "./emission.ts";
import { EmissionOrder, type Emitted } from "./emission-order.ts";
import { readEmitterSettings } from "./env.ts";

const deps = openDeps({ settings: readEmitterSettings(), clock: systemClock, onError: () => {} });

async function emit(numbers: number[], organizationIds: string[]): Promise<Emitted> {
  const emissions = numbers.map((number) => numberedEvent(deps, { organizationIds, number }));
  try {
    const ids = await deps.db.transaction((tx) => emitEvents({ ...deps, tx }, emissions));
    return { numbers, ids, committedAt: wallTime() };
  } catch {
    // The database is gone for a moment. Whether it committed is unknown, and the number makes trying again safe.
    await delay(100);
    return emit(numbers, organizationIds);
  }
}

async function follow(order: EmissionOrder): Promise<void> {
  const { organizationIds, numbers, lanes, together, perSecond, report } = order;
  const startedAt = performance.now();
  let begun = 0;
  const lane = async () => {
    while (begun * together < numbers.length) {
      const position = begun++;
      const due = perSecond === undefined ? 0 : startedAt + (position * 1000) / perSecond;
      if (due > performance.now()) await delay(due - performance.now());
      const from = position * together;
      const emitted = await emit(numbers.slice(from, from + together), organizationIds);
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
