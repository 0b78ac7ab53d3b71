import { Agent, request as sendRequest } from "node:http";
import { gunzipSync } from "node:zlib";
import { updateSettings } from "@querybell/core/organizations";
import { createSeededRandom, queuedJobs } from "@querybell/core/testing";
import { expect } from "vitest";
import { embedTest as test } from "./testing/embed-test.ts";
import { createHostileRequest, type HostileRequest } from "./testing/hostile-requests.ts";
import { createHostileToken } from "./testing/hostile-tokens.ts";
import { secretText } from "./testing/public-test.ts";

const requests = Number(process.env.FUZZ_REQUESTS ?? 5_000);
const seed = Number(process.env.FUZZ_SEED ?? 1);
const atOnce = 16;

/** What `pnpm fuzz` prints. The tests say nothing unless they fail. */
function report(what: string, counts: Record<string, number>): void {
  if (process.env.FUZZ_REQUESTS === undefined) return;
  const pairs = Object.entries({ ...counts, seed }).map(([name, count]) => `${name}=${count}`);
  console.log(`${what} ${pairs.join(" ")}`);
}

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
  publishRegions,
  deps,
}) => {
  const chosen = await publishRegions();
  const open = await publish(shop.owner, shop.table);
  const closed = await publish(shop.owner, shop.bars, { password: "nobody guesses this" });
  const runs = await deps.db.prisma.queryRun.findMany({ select: { id: true, queryId: true } });
  const random = createSeededRandom(seed);
  const known = {
    paths: [open.path, closed.path, chosen.path] as const,
    ids: [shop.secret, ...runs.flatMap(({ id, queryId }) => [id, queryId])] as [string, ...string[]],
  };
  const failures: unknown[] = [];
  const statuses = new Map<number, number>();
  let shown = 0;
  const generated = Array.from({ length: requests }).values();
  const work = async () => {
    for (const _ of generated) {
      const request = createHostileRequest(random, known);
      const { status, text } = await send(pages.url, request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // The protected page is the only one with this title.
      const isShown = text.includes(secretText) || text.includes("<h1>Fruit</h1>") || text.includes("<svg");
      if (isShown) shown++;
      if (status >= 500 || isShown) failures.push({ request, status, text: text.slice(0, 300) });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  agent.destroy();
  // A statement is executed only for a run, and a run begins here or in one of these jobs.
  const started = (await deps.db.prisma.queryRun.count()) - runs.length;
  const jobs = [
    ...(await queuedJobs(deps, "refresh_published_choices")),
    ...(await queuedJobs(deps, "make_embed_page")),
  ];
  const count = (least: number) =>
    [...statuses].reduce(
      (sum, [status, times]) => sum + (status >= least && status < least + 100 ? times : 0),
      0,
    );
  report("pages", {
    ...{ requests, statements: started + jobs.length, unpublished: shown },
    ...{ status_2xx: count(200), status_3xx: count(300), status_4xx: count(400), status_5xx: count(500) },
    closed: count(0),
  });
  expect(failures.slice(0, 3)).toEqual([]);
  // It also reached the published page: otherwise nothing was tried.
  expect(statuses.get(200)).toBeGreaterThan(requests / 100);
  expect(statuses.get(404)).toBeGreaterThan(requests / 10);
  expect(started).toBe(0);
  expect(jobs).toEqual([]);
  expect((await fetch(`${pages.url}/readyz`)).status).toBe(200);
});

test("no generated token opens a frame, unless another organization has signed it, and none runs a statement", async ({
  portal: { owner, shortId, dashboardId },
  addKey,
  make,
  exchange,
  open,
  work,
  deps,
}) => {
  const key = await addKey(owner);
  const elsewhere = await make.owner();
  await updateSettings(deps, elsewhere, { embedding: true });
  const foreign = await addKey(elsewhere);
  const items = [
    { kind: "chart", id: shortId },
    { kind: "dashboard", id: dashboardId },
  ] as const;
  const random = createSeededRandom(seed);
  const runs = await deps.db.prisma.queryRun.count();
  const opened: string[] = [];
  const failures: unknown[] = [];
  const generated = Array.from({ length: Math.ceil(requests / 5) }).values();
  const send = async () => {
    for (const _ of generated) {
      const { token, isForeign } = createHostileToken(random, { key, foreign, items });
      const { status, path } = await exchange(token);
      if (status === 201 && isForeign) opened.push(path ?? "");
      else if (status !== 401 && !(status === 429 && isForeign)) failures.push({ status, token });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, send));
  const pages: string[] = [];
  for (const path of opened.slice(0, 5)) pages.push((await open(path)).text);
  await work();
  const started = (await deps.db.prisma.queryRun.count()) - runs;
  const { organizationId } = owner;
  const frames = await deps.db.prisma.embedSession.count({ where: { organizationId } });
  report("tokens", {
    tokens: Math.ceil(requests / 5),
    statements: started,
    frames,
    not_refused: failures.length,
  });
  expect(failures.slice(0, 3)).toEqual([]);
  // What tokens of the other organization open shows nothing of this one.
  expect(pages.length).toBeGreaterThan(0);
  for (const text of pages) expect(text).toContain("This cannot be shown now.");
  expect(frames).toBe(0);
  expect(started).toBe(0);
});
