import { createServer } from "node:http";
import { wallTime } from "./clock-time.ts";

export interface Arrival {
  id: string;
  path: string;
  at: number;
}

/** A customer's server that answers 200 and remembers what came; under /hang it takes longer than anybody waits. */
export interface Sink {
  url: string;
  arrivals: Arrival[];
  onArrival(hear: (arrival: Arrival) => void): void;
  close(): Promise<void>;
}

const hangMs = 12_000;

export async function startSink(): Promise<Sink> {
  const arrivals: Arrival[] = [];
  let tell: (arrival: Arrival) => void = () => {};
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    request.resume();
    request.once("end", () => {
      const { url: path = "/", headers } = request;
      const arrival = { id: String(headers["svc-webhook-id"]), path, at: wallTime() };
      arrivals.push(arrival);
      if (path.startsWith("/hang")) setTimeout(() => response.end(), hangMs).unref();
      else response.end();
      tell(arrival);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The sink has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    arrivals,
    onArrival(hear) {
      tell = hear;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
