import { z } from "zod";
import { startChild } from "./child.ts";

export const ReceiverRequest = z.discriminatedUnion("ask", [
  z.object({ ask: z.literal("url") }),
  /** Returns and clears the recorded deliveries. */
  z.object({ ask: z.literal("take") }),
  /** Answered once this many deliveries are recorded. */
  z.object({ ask: z.literal("arrived"), count: z.int() }),
]);
type ReceiverRequest = z.infer<typeof ReceiverRequest>;

const Arrivals = z.array(z.object({ id: z.string(), path: z.string(), at: z.number() }));

export type ReceiverProcess = Awaited<ReturnType<typeof startReceiverProcess>>;

export async function startReceiverProcess() {
  const child = await startChild(new URL("receiver-process.ts", import.meta.url));
  const ask = (request: ReceiverRequest) => child.ask(request);
  return {
    url: z.string().parse(await ask({ ask: "url" })),
    take: async () => Arrivals.parse(await ask({ ask: "take" })),
    arrived: async (count: number) => void (await ask({ ask: "arrived", count })),
    kill: child.kill,
  };
}
