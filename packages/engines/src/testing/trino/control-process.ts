// A process that starts a Trino cluster on the first request and stops it when its parent ends. Requests:
// POST /start, /worker/kill, /worker/start, each answered with the cluster once it is done, and /stop.
import { createServer } from "node:http";
import { TrinoCluster, whyMissing } from "./cluster.ts";
import type { TrinoControl } from "./control.ts";

const externalUrl = process.env.TRINO_URL;
const missing = externalUrl ? undefined : await whyMissing();
let starting: Promise<TrinoCluster> | undefined;
let stopping: Promise<unknown> | undefined;

async function handle(path: string): Promise<object> {
  if (externalUrl) return { url: externalUrl };
  if (path === "/stop") return stop();
  starting ??= TrinoCluster.start();
  const cluster = await starting;
  if (path === "/worker/kill") await cluster.killWorker();
  if (path === "/worker/start") await cluster.startWorker();
  const { url, httpsUrl, secrets } = cluster;
  return { url, httpsUrl, secrets };
}

/** Stops the cluster, and waits for one that is being stopped already. A later request starts another one. */
async function stop(): Promise<object> {
  const stopped = starting?.then((cluster) => cluster.stop()).catch(() => {});
  starting = undefined;
  stopping = Promise.all([stopping, stopped]);
  await stopping;
  return {};
}

const server = createServer((request, response) => {
  handle(request.url ?? "").then(
    (body) => response.end(JSON.stringify(body)),
    (error) => response.writeHead(500).end(String(error)),
  );
});
// Downloading and starting the cluster can take minutes.
server.requestTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  process.send?.({
    url: `http://127.0.0.1:${port}`,
    ...(missing && { missing }),
    isExternal: Boolean(externalUrl),
  } satisfies TrinoControl);
});

process.once("disconnect", async () => {
  await stop();
  process.exit(0);
});
