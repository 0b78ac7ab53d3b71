import { z } from "zod";
import { startChild } from "./child.ts";

export const BaselineRequest = z.object({
  url: z.string(),
  paths: z.int(),
  count: z.int(),
  /** Unmeasured POSTs before the measurement. */
  warmUp: z.int(),
  connections: z.int(),
});
export type BaselineRequest = z.infer<typeof BaselineRequest>;

/** Measures signed POSTs per second of a plain loop, in a new process. */
export async function measureBaseline(request: BaselineRequest): Promise<number> {
  const child = await startChild(new URL("baseline-process.ts", import.meta.url));
  const seconds = z.number().parse(await child.ask(request));
  await child.kill();
  return request.count / seconds;
}
