import { z } from "zod";
import { startChild } from "./child.ts";

export const RawOrder = z.object({
  url: z.string(),
  paths: z.int(),
  count: z.int(),
  /** So many before it is measured. */
  warmUp: z.int(),
  connections: z.int(),
});
export type RawOrder = z.infer<typeof RawOrder>;

/** How many signed POSTs a second a bare loop makes, in a fresh process. */
export async function measureRawLoop(order: RawOrder): Promise<number> {
  const child = await startChild(new URL("raw-loop-process.ts", import.meta.url));
  const seconds = z.number().parse(await child.ask(order));
  await child.kill();
  return order.count / seconds;
}
