// pnpm bench other-senders --system svix --url http://127.0.0.1:8071 --token …: the same work by another open sender
// that you run yourself (bench/other-senders.md says how). Events of about 1 KiB are taken in over its public HTTP API
// with 32 connections; the rate is that of arrivals, from the first call to the last arrival. Then commit to arrival at
// low load. Nothing here is part of `pnpm bench` without a name.
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Pool } from "undici";
import { perSecond } from "./automations/api-load.ts";
import { isSystem, type OtherSender, systems } from "./other-senders/systems.ts";
import { benchSummary } from "./webhooks/numbered-event.ts";
import { percentile } from "./webhooks/percentile.ts";
import { type ReceiverProcess, startReceiverProcess } from "./webhooks/receiver-messages.ts";
import { wallTime } from "./webhooks/wall-time.ts";
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
const connections = 32;
const endpointCounts = [1, 100];
const lowLoad = { events: 500, perSecond: 50, endpoints: 100 };
const payload = { summary: benchSummary };

if (!isSystem(system) || !URL.canParse(url)) {
  console.error(
    `Usage: pnpm bench other-senders --system <${Object.keys(systems).join(" | ")}> --url <its address> --token <its API token> [--project <Convoy's project>]. See bench/other-senders.md.`,
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
  const withEndpoints = (count: number) =>
    open({
      call,
      project,
      urls: Array.from({ length: count }, (_, index) => `${receiver.url}/${index}`),
    });

  const figures: string[] = [];
  for (const endpoints of endpointCounts) {
    const sender = await withEndpoints(endpoints);
    await sendAll(sender, endpoints, events / 10);
    await receiver.arrived(events / 10);
    await receiver.take();
    const startedAt = performance.now();
    await sendAll(sender, endpoints, events);
    await receiver.arrived(events);
    const rate = events / ((performance.now() - startedAt) / 1000);
    await receiver.take();
    figures.push(`per_second_${endpoints}=${rate.toFixed(0)}`);
  }
  const latencies = await measureLatencies(await withEndpoints(lowLoad.endpoints), receiver);
  console.log(
    `other-senders system=${system} ${figures.join(" ")} p50_ms=${percentile(latencies, 50).toFixed(1)} p99_ms=${percentile(latencies, 99).toFixed(1)}`,
  );
});

async function sendAll(sender: OtherSender, endpoints: number, count: number): Promise<void> {
  await perSecond({ calls: count, concurrency: connections }, (index) =>
    sender.send(index % endpoints, payload),
  );
}

/** From the answer that takes an event in to its arrival. The events of an endpoint are matched in their order. */
async function measureLatencies(sender: OtherSender, receiver: ReceiverProcess): Promise<number[]> {
  const taken: { path: string; at: number }[] = [];
  for (let index = 0; index < lowLoad.events; index++) {
    const endpoint = index % lowLoad.endpoints;
    await sender.send(endpoint, payload);
    taken.push({ path: `/${endpoint}`, at: wallTime() });
    await delay(1000 / lowLoad.perSecond);
  }
  await receiver.arrived(lowLoad.events);
  const byPath = Map.groupBy(await receiver.take(), ({ path }) => path);
  return taken.map(({ path, at }) => (byPath.get(path)?.shift()?.at ?? Number.NaN) - at);
}
