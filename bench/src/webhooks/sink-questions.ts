import { z } from "zod";
import { startChild } from "./child.ts";

export const SinkQuestion = z.discriminatedUnion("ask", [
  z.object({ ask: z.literal("url") }),
  /** What has come since it was last taken. */
  z.object({ ask: z.literal("take") }),
  /** Answered once so many have come since. */
  z.object({ ask: z.literal("arrived"), count: z.int() }),
]);
type SinkQuestion = z.infer<typeof SinkQuestion>;

const Arrivals = z.array(z.object({ id: z.string(), path: z.string(), at: z.number() }));

export type SinkProcess = Awaited<ReturnType<typeof startSinkProcess>>;

export async function startSinkProcess() {
  const child = await startChild(new URL("sink-process.ts", import.meta.url));
  const ask = (question: SinkQuestion) => child.ask(question);
  return {
    url: z.string().parse(await ask({ ask: "url" })),
    take: async () => Arrivals.parse(await ask({ ask: "take" })),
    arrived: async (count: number) => void (await ask({ ask: "arrived", count })),
    kill: child.kill,
  };
}
