import { once } from "node:events";
import { createServer } from "node:http";
import type { Clock } from "@querybell/domain";
import { createReceiver, type Delivery, webhook } from "@querybell/webhook-receiver/node";

/** A customer's server. It refuses everything until it knows the endpoint's secret, as the real ones do. */
export async function startKitReceiver(clock: Clock) {
  const received: Delivery[] = [];
  const refused: string[] = [];
  const waiting: (() => void)[] = [];
  let secrets: string[] = [];
  let brokenWith: number | undefined;
  const server = createServer((request, response) => {
    if (brokenWith !== undefined) return void response.writeHead(brokenWith).end("broken");
    if (secrets.length === 0) return void response.writeHead(401).end("no secret yet");
    const receiver = createReceiver({ secrets, clock: () => clock.now().getTime() });
    const keep = (delivery: Delivery) => {
      received.push(delivery);
      for (const look of waiting.splice(0)) look();
    };
    void webhook(receiver, keep, { onRefused: ({ code }) => refused.push(code) })(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The receiver has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    /** What was verified, oldest first. */
    received,
    /** Why deliveries were refused, as the kit's codes. */
    refused,
    useSecrets: (...known: string[]) => {
      secrets = known;
    },
    /** From now on every delivery is answered with this status; undefined mends it. */
    breakWith: (status: number | undefined) => {
      brokenWith = status;
    },
    /** Resolves when so many deliveries have been verified. */
    async until(count: number): Promise<Delivery[]> {
      while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
      return received;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
