// A process that starts a cluster when the first test asks for one, and ends it when its parent ends. Requests:
// POST /start, /worker/kill, /worker/start; each answers when that is done.
import { createServer } from "node:http";
import { TrinoCluster, whyMissing } from "./cluster.ts";

const given = process.env.TRINO_URL;
const missing = given ? undefined : await whyMissing();
let starting: Promise<TrinoCluster> | undefined;

const cluster = () => {
  starting ??= TrinoCluster.start();
  return starting;
};

async function answer(path: string): Promise<object> {
  if (given) return { url: given };
  const { url, httpsUrl, secrets } = await cluster();
  if (path === "/worker/kill") await (await cluster()).killWorker();
  if (path === "/worker/start") await (await cluster()).startWorker();
  return { url, httpsUrl, secrets };
}

const server = createServer((request, response) => {
  answer(request.url ?? "").then(
    (body) => response.end(JSON.stringify(body)),
    (error) => response.writeHead(500).end(String(error)),
  );
});
// Fetching and starting the cluster can take minutes.
server.requestTimeout = 0;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  process.send?.({
    control: `http://127.0.0.1:${port}`,
    ...(missing && { missing }),
    isGiven: Boolean(given),
  });
});

process.once("disconnect", async () => {
  await starting?.then((started) => started.stop()).catch(() => {});
  process.exit(0);
});
