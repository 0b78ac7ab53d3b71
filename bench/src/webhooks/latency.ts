import { setTimeout as delay } from "node:timers/promises";
import type { Child } from "./child.ts";
import { type EmissionOrder, Emitted } from "./emission-order.ts";
import type { SinkProcess } from "./sink-questions.ts";

interface LatencyOptions {
  emitter: Child;
  sink: SinkProcess;
  order: EmissionOrder;
}

/** Emits at a pace; milliseconds from each event's commit to its first arrival. */
export async function measureLatency({ emitter, sink, order }: LatencyOptions): Promise<number[]> {
  await sink.take();
  const committedAt = await emitAll(emitter, order);
  const arrivedAt = new Map<string, number>();
  while ([...committedAt.keys()].some((id) => !arrivedAt.has(id))) {
    for (const { id, at } of await sink.take()) arrivedAt.set(id, Math.min(at, arrivedAt.get(id) ?? at));
    await delay(50);
  }
  return [...committedAt].map(([id, at]) => Math.max(0, (arrivedAt.get(id) ?? Number.NaN) - at));
}

async function emitAll(emitter: Child, order: EmissionOrder): Promise<Map<string, number>> {
  const committedAt = new Map<string, number>();
  const { promise: complete, resolve, reject } = Promise.withResolvers<void>();
  const stopHearing = emitter.onMessage((message) => {
    const { ids, committedAt: at } = Emitted.parse(message);
    for (const id of ids) committedAt.set(id, at);
    if (committedAt.size === order.numbers.length) resolve();
  });
  emitter.ended.then(() => reject(new Error("The emitter ended before it had emitted everything.")));
  emitter.tell(order);
  await complete;
  stopHearing();
  return committedAt;
}
