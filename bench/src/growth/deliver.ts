import { once } from "node:events";
import { createServer } from "node:http";
import type { Deps } from "@querybell/core";
import { createSender, startPump } from "@querybell/webhooks";

/** A receiver on loopback that accepts everything. */
export async function startAcceptingReceiver() {
  const server = createServer((request, response) => request.resume().once("end", () => response.end()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The receiver has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Sends everything that is due with a pump of its own. */
export async function deliver({ db, clock, guard, sealer }: Deps): Promise<void> {
  const sender = createSender({ guard, clock });
  const { pool, notices } = db;
  const pump = await startPump({ pool, notices, clock, guard, sealer, sender, onError: console.error });
  await pump.drain();
  await pump.stop();
  sender.close();
}
