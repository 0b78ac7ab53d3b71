import { setTimeout as delay } from "node:timers/promises";
import type { ReceiverProcess } from "../webhooks/receiver-messages.ts";

const pollEveryMs = 100;
const giveUpAfterMs = 60_000;

/** Waits for so many arrivals at these paths. Rejects when none has come for a minute. */
export async function arrivalsAt(receiver: ReceiverProcess, paths: string[], count: number) {
  const wanted = new Set(paths);
  const arrivals: Awaited<ReturnType<ReceiverProcess["take"]>> = [];
  let lastAt = performance.now();
  while (arrivals.length < count) {
    const came = (await receiver.take()).filter(({ path }) => wanted.has(path));
    arrivals.push(...came);
    if (came.length > 0) lastAt = performance.now();
    if (performance.now() - lastAt > giveUpAfterMs) {
      throw new Error(
        `${arrivals.length} of ${count} events arrived, and none in the last minute. Read the log of the sender; it must be allowed to send to loopback.`,
      );
    }
    await delay(pollEveryMs);
  }
  return arrivals.toSorted((a, b) => a.at - b.at);
}
