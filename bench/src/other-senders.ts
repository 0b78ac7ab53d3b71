// pnpm bench other-senders --system svix --url http://127.0.0.1:8071 --token …: the same work by another open sender
// that you run yourself (bench/other-senders.md says how). Events of about 1 KiB are taken in over its public HTTP API
// with 32 connections; the rate is that of arrivals, from the first call to the last arrival. Then call to arrival at
// low load. Nothing here is part of `pnpm bench` without a name.
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { perSecond } from "./automations/api-load.ts";
import { monotonicMs, percentile } from "./measuring/measuring.ts";
import { arrivalsAt } from "./other-senders/arrivals.ts";
import { isSystem, type OtherSender, systems } from "./other-senders/systems.ts";
import { benchSummary } from "./webhooks/numbered-event.ts";
import { type ReceiverProcess, startReceiverProcess } from "./webhooks/receiver-messages.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: {
    system: { type: "string", default: "" },
    url: { type: "string", default: "" },
    token: { type: "string", default: "" },
    project: { type: "string", default: "" },
    events: { type: "string", default: "5000" },
  },
});
const { system, url, token, project } = flags;
const events = Number(flags.events);
const warmUp = Math.ceil(events / 10);
const connections = 32;
const endpointCounts = [1, 100];
const lowLoad = { events: 500, perSecond: 50, endpoints: 100 };
const payload = { summary: benchSummary };

interface Opened extends OtherSender {
  /** Of the endpoints, at the receiver. */
  paths: string[];
}

if (!isSystem(system) || !URL.canParse(url) || !Number.isSafeInteger(events) || events < 1) {
  console.error(
    `Usage: pnpm bench other-senders --system <${Object.keys(systems).join(" | ")}> --url <its address> --token <its API token> [--project <Convoy's project>] [--events <count>]. See bench/other-senders.md.`,
  );
  process.exit(2);
}
const open = systems[system];

await withCleanup(async (cleanup) => {
  const receiver = await startReceiverProcess();
  cleanup.defer(receiver.kill);
  const pool = new Pool(new URL(url).origin, { connections, pipelining: 1 });
  cleanup.defer(() => pool.close());
  const call = async (method: "PUT" | "POST", path: string, body: object): Promise<unknown> => {
    const answer = await pool.request({
      method,
      path,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  // Each measurement has new endpoints, so that a late retry of one is not counted for the next.
  let opened = 0;
  const withEndpoints = async (count: number) => {
    const base = `${receiver.url}/${++opened}`;
    const urls = Array.from({ length: count }, (_, index) => `${base}/${index}`);
    return { ...(await open({ call, project, urls })), paths: urls.map((each) => new URL(each).pathname) };
  };

  const figures: string[] = [];
  for (const endpoints of endpointCounts) {
    const sender = await withEndpoints(endpoints);
    await sendAll(sender, warmUp);
    await arrivalsAt(receiver, sender.paths, warmUp);
    const startedAt = monotonicMs();
    await sendAll(sender, events);
    const arrivals = await arrivalsAt(receiver, sender.paths, events);
    const lastAt = arrivals.at(-1)?.at ?? Number.NaN;
    const rate = events / ((lastAt - startedAt) / 1000);
    if (!(rate > 0)) throw new Error(`Measured ${rate} deliveries a second, which cannot be.`);
    figures.push(`per_second_${endpoints}=${rate.toFixed(0)}`);
  }
  const latencies = await measureLatencies(await withEndpoints(lowLoad.endpoints), receiver);
  console.log(
    `other-senders system=${system} ${figures.join(" ")} p50_ms=${percentile(latencies, 50).toFixed(1)} p99_ms=${percentile(latencies, 99).toFixed(1)}`,
  );
});

async function sendAll(sender: Opened, count: number): Promise<void> {
  await perSecond({ calls: count, concurrency: connections }, (index) =>
    sender.send(index % sender.paths.length, payload),
  );
}

/** From the call that sends an event to its arrival. The events of an endpoint are matched in their order. */
async function measureLatencies(sender: Opened, receiver: ReceiverProcess): Promise<number[]> {
  const startedAt = performance.now();
  const taken = Array.from({ length: lowLoad.events }, async (_, index) => {
    await delay(Math.max(0, startedAt + (index * 1000) / lowLoad.perSecond - performance.now()));
    const endpoint = index % lowLoad.endpoints;
    // Not when the call is answered: an event may arrive before that.
    const at = monotonicMs();
    await sender.send(endpoint, payload);
    return { path: sender.paths[endpoint] ?? "", at };
  });
  const calls = await Promise.all(taken);
  const byPath = Map.groupBy(await arrivalsAt(receiver, sender.paths, lowLoad.events), ({ path }) => path);
  return calls.map(({ path, at }) => (byPath.get(path)?.shift()?.at ?? Number.NaN) - at);
}
