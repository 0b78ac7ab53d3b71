// Emits events in transactions and, if requested, reports each transaction after its commit.
import { setTimeout as delay } from "node:timers/promises";
import { closeDeps, openDeps } from "@querybell/core/open-deps";
import { systemClock } from "@querybell/domain";
import { emitEvents } from "@querybell/webhooks/testing/emit-events";
import { monotonicMs } from "../measuring/measuring.ts";
import { EmitRequest, type Emitted } from "./emit-request.ts";
import { readEmitterSettings } from "./env.ts";
import { numberedEvent } from "./numbered-event.ts";

const deps = openDeps({ settings: readEmitterSettings(), clock: systemClock, onError: () => {} });

type Targets = Pick<EmitRequest, "organizationIds" | "automationIds">;

async function emit(numbers: number[], targets: Targets): Promise<Emitted> {
  const emissions = numbers.map((number) => numberedEvent(deps, { ...targets, number }));
  try {
    return await deps.db.transaction(async (tx) => {
      const ids = await emitEvents({ ...deps, tx }, emissions);
      return { numbers, ids, commitSentAt: monotonicMs() };
    });
  } catch {
    // The database is unavailable. It may have committed; a retry is safe, since each number emits only once.
    await delay(100);
    return emit(numbers, targets);
  }
}

async function handle(request: EmitRequest): Promise<void> {
  const { numbers, concurrency, batchSize, perSecond, report } = request;
  const startedAt = performance.now();
  let started = 0;
  const worker = async () => {
    while (started * batchSize < numbers.length) {
      const position = started++;
      const due = perSecond === undefined ? 0 : startedAt + (position * 1000) / perSecond;
      if (due > performance.now()) await delay(due - performance.now());
      const from = position * batchSize;
      const emitted = await emit(numbers.slice(from, from + batchSize), request);
      if (report) process.send?.(emitted);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

process.on("message", (message) => void handle(EmitRequest.parse(message)));
process.on("SIGTERM", async () => {
  await closeDeps(deps);
  process.exit();
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
