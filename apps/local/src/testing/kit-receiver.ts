import { once } from "node:events";
import { createServer } from "node:http";
import type { Clock } from "@querybell/domain";
import { createReceiver, type Delivery, webhook } from "@querybell/webhook-receiver/node";

/** A customer's server with the receiver kit. It answers 401 until it has the endpoint's secret. */
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
      for (const wake of waiting.splice(0)) wake();
    };
    void webhook(receiver, keep, { onRefused: ({ code }) => refused.push(code) })(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The receiver has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    /** The verified deliveries, oldest first. */
    received,
    /** The kit's code of each refused delivery. */
    refused,
    useSecrets: (...known: string[]) => {
      secrets = known;
    },
    /** Answers every delivery with this status from now on. Undefined: back to normal. */
    breakWith: (status: number | undefined) => {
      brokenWith = status;
    },
    /** Resolves when this many deliveries have been verified. */
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
