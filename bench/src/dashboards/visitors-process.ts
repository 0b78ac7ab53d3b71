// Opens a public page so often, from the first message, which names the page, to the second.
import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";
import type { OpenPages } from "./open-pages.ts";

let load: ReturnType<typeof startLoad> | undefined;

process.on("message", async (message: OpenPages | Record<string, never>) => {
  if ("url" in message) {
    load = startLoad(message as OpenPages);
    process.send?.({ started: true });
  } else {
    process.send?.({ reached: await load?.stop() });
  }
});
process.send?.("ready");

function startLoad({ url, path, headers, perSecond }: OpenPages) {
  const pool = new Pool(url, { connections: 16, pipelining: 1 });
  let isRunning = true;
  const startedAt = performance.now();
  const secondsPassed = () => (performance.now() - startedAt) / 1000;
  const open = async () => {
    const { statusCode, body } = await pool.request({ method: "GET", path, headers });
    await body.dump();
    if (statusCode !== 200) throw new Error(`The public page answered ${statusCode}.`);
  };
  const sending = (async () => {
    const opening = new Set<Promise<void>>();
    let sent = 0;
    while (isRunning) {
      for (; sent < secondsPassed() * perSecond && opening.size < 64; sent++) {
        const one = open();
        opening.add(one);
        // What fails stays, and ends this process.
        one.then(
          () => opening.delete(one),
          () => {},
        );
      }
      await delay(2);
    }
    await Promise.all(opening);
    return sent / secondsPassed();
  })();
  return {
    /** Resolves to how many a second there were. */
    async stop(): Promise<number> {
      isRunning = false;
      const reached = await sending;
      await pool.close();
      return reached;
    },
  };
}
