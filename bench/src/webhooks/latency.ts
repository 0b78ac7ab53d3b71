import { setTimeout as delay } from "node:timers/promises";
import type { Child } from "./child.ts";
import { type EmitRequest, Emitted } from "./emit-request.ts";
import type { ReceiverProcess } from "./receiver-messages.ts";

interface LatencyOptions {
  emitter: Child;
  receiver: ReceiverProcess;
  request: EmitRequest;
}

/** Emits as requested; returns the milliseconds from each event's commit to its first arrival. */
export async function measureLatency({ emitter, receiver, request }: LatencyOptions): Promise<number[]> {
  await receiver.take();
  const committedAt = await emitAll(emitter, request);
  const arrivedAt = new Map<string, number>();
  while ([...committedAt.keys()].some((id) => !arrivedAt.has(id))) {
    for (const { id, at } of await receiver.take()) arrivedAt.set(id, Math.min(at, arrivedAt.get(id) ?? at));
    await delay(50);
  }
  return [...committedAt].map(([id, at]) => Math.max(0, (arrivedAt.get(id) ?? Number.NaN) - at));
}

async function emitAll(emitter: Child, request: EmitRequest): Promise<Map<string, number>> {
  const committedAt = new Map<string, number>();
  const { promise: complete, resolve, reject } = Promise.withResolvers<void>();
  const stopListening = emitter.onMessage((message) => {
    const { ids, committedAt: at } = Emitted.parse(message);
    for (const id of ids) committedAt.set(id, at);
    if (committedAt.size === request.numbers.length) resolve();
  });
  emitter.ended.then(() => reject(new Error("The emitter ended before it had emitted everything.")));
  emitter.send(request);
  await complete;
  stopListening();
  return committedAt;
}
