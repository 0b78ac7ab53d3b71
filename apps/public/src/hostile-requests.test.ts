import { Agent, request as sendRequest } from "node:http";
import { gunzipSync } from "node:zlib";
import { createSeededRandom } from "@querybell/core/testing";
import { expect } from "vitest";
import { createHostileRequest, type HostileRequest } from "./testing/hostile-requests.ts";
import { secretText, publicTest as test } from "./testing/public-test.ts";

const requests = Number(process.env.FUZZ_REQUESTS ?? 5_000);
const seed = Number(process.env.FUZZ_SEED ?? 1);
const atOnce = 16;

const agent = new Agent({ keepAlive: true, maxSockets: atOnce });

interface Answer {
  status: number;
  text: string;
}

const send = (base: string, { method, path, headers, body }: HostileRequest): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const sent = sendRequest({ agent, hostname, port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const bytes = Buffer.concat(chunks);
        const isCompressed = response.headers["content-encoding"] === "gzip" && bytes.length > 0;
        const text = (isCompressed ? gunzipSync(bytes) : bytes).toString();
        resolve({ status: response.statusCode ?? 0, text: text + JSON.stringify(response.headers) });
      });
      response.on("error", reject);
    });
    // The server closes connections whose body it does not read.
    sent.on("error", (error: NodeJS.ErrnoException) =>
      ["ECONNRESET", "EPIPE"].includes(error.code ?? "") ? resolve({ status: 0, text: "" }) : reject(error),
    );
    sent.end(body);
  });

test("no generated request fails, shows what is not published, or starts a run", async ({
  pages,
  shop,
  publish,
  deps,
}) => {
  const open = await publish(shop.owner, shop.table);
  const closed = await publish(shop.owner, shop.bars, { password: "nobody guesses this" });
  const runs = await deps.db.prisma.queryRun.findMany({ select: { id: true, queryId: true } });
  const random = createSeededRandom(seed);
  const known = {
    paths: [open.path, closed.path] as const,
    ids: [shop.secret, ...runs.flatMap(({ id, queryId }) => [id, queryId])] as [string, ...string[]],
  };
  const failures: unknown[] = [];
  const statuses = new Map<number, number>();
  const generated = Array.from({ length: requests }).values();
  const work = async () => {
    for (const _ of generated) {
      const request = createHostileRequest(random, known);
      const { status, text } = await send(pages.url, request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // The protected page is the only one with this title.
      const isShown = text.includes(secretText) || text.includes("<h1>Fruit</h1>") || text.includes("<svg");
      if (status >= 500 || isShown) failures.push({ request, status, text: text.slice(0, 300) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  agent.destroy();
  expect(failures.slice(0, 3)).toEqual([]);
  // It also reached the published page: otherwise nothing was tried.
  expect(statuses.get(200)).toBeGreaterThan(requests / 100);
  expect(statuses.get(404)).toBeGreaterThan(requests / 10);
  expect(await deps.db.prisma.queryRun.count()).toBe(runs.length);
  expect((await fetch(`${pages.url}/readyz`)).status).toBe(200);
  if (requests > 5_000) console.log(Object.fromEntries(statuses));
});
