import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Clock } from "@querybell/domain";
import { runUntilStopped } from "@querybell/runtime";
import { z } from "zod";

/** What the soak test sends to a process: a new distance of its clock to the machine's, or a question. */
const Order = z.union([z.object({ aheadMs: z.number() }), z.object({ ask: z.literal("heap") })]);
type Order = z.infer<typeof Order>;

export const aheadVariable = "SOAK_AHEAD_MS";
export const jump = (aheadMs: number) => ({ aheadMs }) satisfies Order;
export const askForHeap = { ask: "heap" } satisfies Order;
export const Heap = z.object({ heapBytes: z.number() });

/** Runs a process of the product with a clock that the soak test moves, and reports its heap after a collection. */
export async function runWithJumpingClock(
  start: (clock: Clock) => Promise<{ stop(): Promise<void> }>,
): Promise<void> {
  let aheadMs = Number(process.env[aheadVariable] ?? 0);
  setFlagsFromString("--expose-gc");
  const collectGarbage: () => void = runInNewContext("gc");
  process.on("message", (message) => {
    const order = Order.parse(message);
    if ("aheadMs" in order) {
      aheadMs = order.aheadMs;
      return;
    }
    collectGarbage();
    process.send?.({ heapBytes: process.memoryUsage().heapUsed });
  });
  await runUntilStopped(() => start({ now: () => new Date(Date.now() + aheadMs) }));
}
