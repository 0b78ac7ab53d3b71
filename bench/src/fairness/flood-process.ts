// The flood of the hostile organization: all kinds of load at once, each at a limited rate, until it is killed.
import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import { z } from "zod";
import { signIn } from "./api-calls.ts";
import { type FloodReport, FloodRequest } from "./flood-request.ts";

/** Load of each kind; each concurrent loop sends one request after the other, at most `perSecond` of them. */
const pages = { concurrency: 8, perSecond: 4 };
const slowRuns = { concurrency: 12, perSecond: 1 };
const bigValues = { concurrency: 2, perSecond: 4 };
const longStatements = { concurrency: 1, perSecond: 2 };
const triggers = { concurrency: 4, perSecond: 1 };
const connectionTests = { concurrency: 10, perSecond: 2 };
const subscriptions = { concurrency: 40, perSecond: 1 };

const dispatcher = new Agent({ connections: 100, bodyTimeout: 0, headersTimeout: 0 });
const answers: Record<string, number> = {};
const Created = z.object({ result: z.object({ data: z.object({ id: z.string() }) }) });

interface Load {
  concurrency: number;
  perSecond: number;
}

/** Repeats a request forever, whatever the answer is. */
function repeat(
  kind: string,
  { concurrency, perSecond }: Load,
  send: (lane: number) => Promise<number>,
): void {
  const inLane = async (lane: number) => {
    for (;;) {
      const next = delay(1000 / perSecond);
      const answer = `${kind} ${await send(lane).catch(() => "none")}`;
      answers[answer] = (answers[answer] ?? 0) + 1;
      await next;
    }
  };
  for (let lane = 0; lane < concurrency; lane++) void inLane(lane);
}

/** Bodies are encoded once and answers are not read, so that the flood uses little CPU itself. */
function createSender({ url }: FloodRequest) {
  const headers = (key: string) => ({ authorization: `Bearer ${key}`, "content-type": "application/json" });
  const get = async (key: string, path: string) => {
    const { statusCode, body } = await request(`${url}/api/trpc/${path}`, {
      dispatcher,
      headers: headers(key),
    });
    for await (const _ of body);
    return statusCode;
  };
  const post = (key: string, procedure: string, input: object) => {
    const content = Buffer.from(JSON.stringify(input));
    return () =>
      request(`${url}/api/trpc/${procedure}`, {
        dispatcher,
        method: "POST",
        headers: headers(key),
        body: content,
      });
  };
  const postOnly = (key: string, procedure: string, input: object) => {
    const send = post(key, procedure, input);
    return async () => {
      const { statusCode, body } = await send();
      await body.dump();
      return statusCode;
    };
  };
  const withInput = (procedure: string, input: object) =>
    `${procedure}?input=${encodeURIComponent(JSON.stringify(input))}`;
  return { get, post, postOnly, withInput };
}

async function flood(request: FloodRequest): Promise<void> {
  const { publicUrl, keys, slowQueryIds, bigQueryId, analyticalDatabaseConfigId, automationIds } = request;
  const { get, post, postOnly, withInput } = createSender(request);
  const asPerson = await signIn(request.url, publicUrl, request);

  const runIds: string[] = [];
  for (const id of slowQueryIds) {
    const { body } = await post(keys.runs, "queries.run", { id })();
    runIds.push(Created.parse(await body.json()).result.data.id);
  }
  const runAgain = slowQueryIds.map((id) => postOnly(keys.runs, "queries.run", { id }));
  repeat("slowRuns", slowRuns, (lane) => runAgain[lane % runAgain.length]?.() ?? Promise.resolve(0));
  repeat("subscriptions", subscriptions, (lane) =>
    get(keys.runs, withInput("runs.watch", { id: runIds[lane % runIds.length] })),
  );
  repeat("pages", pages, () => get(keys.pages, withInput("references.list", { limit: 100 })));
  repeat(
    "bigValues",
    bigValues,
    postOnly(keys.big, "queries.run", { id: bigQueryId, parameterValues: { big: "x".repeat(900_000) } }),
  );
  const trigger = automationIds.map((id) => postOnly(keys.triggers, "automations.trigger", { id }));
  repeat("triggers", triggers, (lane) => trigger[lane % trigger.length]?.() ?? Promise.resolve(0));
  const silent = {
    engine: "postgres",
    settings: { host: "127.0.0.1", port: request.silentPort, database: "none", user: "nobody", tls: "off" },
    credentials: { password: "none" },
  };
  const personally = (procedure: string, input: object) => async () => {
    const answer = await asPerson(procedure, input);
    await answer.body?.cancel();
    return answer.status;
  };
  repeat("connectionTests", connectionTests, personally("databases.testConnection", silent));
  const long = { sql: `SELECT ${"1,".repeat(250_000)}1`, analyticalDatabaseConfigId };
  repeat("longStatements", longStatements, personally("queries.create", long));
}

/** The first message starts the flood; every later one is answered with a report. */
let startedAt: number | undefined;
process.on("message", async (message) => {
  if (startedAt === undefined) {
    startedAt = performance.now();
    await flood(FloodRequest.parse(message));
    process.send?.("flooding");
    return;
  }
  const { user, system } = process.cpuUsage();
  const cpuShare = (user + system) / 1000 / (performance.now() - startedAt);
  process.send?.({ answers, cpuShare } satisfies FloodReport);
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
