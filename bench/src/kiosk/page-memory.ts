import type { Page } from "playwright-core";
import { z } from "zod";

export interface PageMemory {
  /** Bytes of the page and of its workers. */
  heap: number;
  /** DOM nodes, also those that are in no document. */
  nodes: number;
  listeners: number;
}
export const memoryKinds = ["heap", "nodes", "listeners"] as const satisfies (keyof PageMemory)[];

const HeapUsage = z.object({ usedSize: z.number() });
/** Without an id it is an event. */
const WorkerMessage = z.object({ id: z.number().optional(), result: z.unknown().optional() });

/** Reads what a page and its workers hold after a garbage collection. */
export async function openPageMemory(page: Page): Promise<() => Promise<PageMemory>> {
  const session = await page.context().newCDPSession(page);
  const workers = new Set<string>();
  const waiting = new Map<number, (result: unknown) => void>();
  let lastId = 0;
  session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
    if (targetInfo.type === "worker") workers.add(sessionId);
  });
  session.on("Target.detachedFromTarget", ({ sessionId }) => void workers.delete(sessionId));
  session.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id, result } = WorkerMessage.parse(JSON.parse(message));
    if (id === undefined) return;
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  await session.send("Target.setAutoAttach", {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    flatten: false,
  });
  const askWorker = async (sessionId: string, method: string): Promise<unknown> => {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    waiting.set(id, resolve);
    await session.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method }) });
    return promise;
  };
  return async () => {
    // Twice: what the first collection finalizes is freed by the second.
    for (let time = 0; time < 2; time++) {
      await session.send("HeapProfiler.collectGarbage");
      for (const worker of workers) await askWorker(worker, "HeapProfiler.collectGarbage");
    }
    let { usedSize: heap } = await session.send("Runtime.getHeapUsage");
    for (const worker of workers) {
      heap += HeapUsage.parse(await askWorker(worker, "Runtime.getHeapUsage")).usedSize;
    }
    const { nodes, jsEventListeners: listeners } = await session.send("Memory.getDOMCounters");
    return { heap, nodes, listeners };
  };
}
