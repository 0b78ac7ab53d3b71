import { createServer } from "node:http";
import { monotonicMs } from "../measuring/measuring.ts";

export interface Arrival {
  id: string;
  path: string;
  /** Of the monotonic clock. */
  at: number;
  /** Undefined unless bodies are kept. */
  body?: string;
}

/**
 * A webhook receiver that records deliveries and answers 200: at once, under /slow after 50 ms, and under /hang after the
 * sender's timeout. Under /fail it answers 500.
 */
export interface Receiver {
  url: string;
  /** From now on every path answers 200 at once. */
  heal(): void;
  arrivals: Arrival[];
  onArrival(listener: (arrival: Arrival) => void): void;
  close(): Promise<void>;
}

const hangMs = 12_000;
const slowMs = 50;

export async function startReceiver({ keepsBodies = false } = {}): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  let notify: (arrival: Arrival) => void = () => {};
  let isHealed = false;
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    if (keepsBodies) request.on("data", (chunk: Buffer) => chunks.push(chunk));
    else request.resume();
    request.once("end", () => {
      const { url: path = "/", headers } = request;
      const body = keepsBodies ? { body: Buffer.concat(chunks).toString() } : {};
      const arrival = { id: String(headers["svc-webhook-id"]), path, at: monotonicMs(), ...body };
      arrivals.push(arrival);
      if (path.startsWith("/fail") && !isHealed) response.statusCode = 500;
      if (path.startsWith("/hang") && !isHealed) setTimeout(() => response.end(), hangMs).unref();
      else if (path.startsWith("/slow")) setTimeout(() => response.end(), slowMs);
      else response.end();
      notify(arrival);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The receiver has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    arrivals,
    heal() {
      isHealed = true;
    },
    onArrival(listener) {
      notify = listener;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
