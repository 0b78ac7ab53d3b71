import { setTimeout as delay } from "node:timers/promises";
import type { Child } from "./child.ts";
import { type EmitRequest, Emitted } from "./emit-request.ts";
import type { ReceiverProcess } from "./receiver-messages.ts";

interface LatencyOptions {
  emitter: Child;
  receiver: ReceiverProcess;
  request: EmitRequest;
}

/** Emits as requested; returns the milliseconds from the moment when each event's commit is sent to its first arrival. */
export async function measureLatency({ emitter, receiver, request }: LatencyOptions): Promise<number[]> {
  await receiver.take();
  const sentAt = await emitAll(emitter, request);
  const arrivedAt = new Map<string, number>();
  while ([...sentAt.keys()].some((id) => !arrivedAt.has(id))) {
    for (const { id, at } of await receiver.take()) arrivedAt.set(id, Math.min(at, arrivedAt.get(id) ?? at));
    await delay(50);
  }
  return toLatencies(sentAt, arrivedAt);
}

/** Throws if an event has not arrived, or arrived before its commit was sent. */
export function toLatencies(
  sentAt: ReadonlyMap<string, number>,
  arrivedAt: ReadonlyMap<string, number>,
): number[] {
  return [...sentAt].map(([id, at]) => {
    const latencyMs = (arrivedAt.get(id) ?? Number.NaN) - at;
    if (!(latencyMs > 0)) {
      throw new Error(`The event ${id} arrived ${latencyMs} ms after its commit was sent, which cannot be.`);
    }
    return latencyMs;
  });
}

async function emitAll(emitter: Child, request: EmitRequest): Promise<Map<string, number>> {
  const sentAt = new Map<string, number>();
  const { promise: complete, resolve, reject } = Promise.withResolvers<void>();
  const stopListening = emitter.onMessage((message) => {
    const { ids, commitSentAt } = Emitted.parse(message);
    for (const id of ids) sentAt.set(id, commitSentAt);
    if (sentAt.size === request.numbers.length) resolve();
  });
  emitter.ended.then(() => reject(new Error("The emitter ended before it had emitted everything.")));
  emitter.send(request);
  await complete;
  stopListening();
  return sentAt;
}
