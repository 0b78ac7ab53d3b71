// pnpm bench mcp: what a call of a tool costs above an empty tool of the SDK, and how many tokens the definitions have.
// Then programs subscribe to events over MCP, and renew their subscriptions with their last cursor, while workers and
// the api are killed at random. Every event must arrive, always with the same bytes, and a replay from any cursor must
// give exactly the events after it.
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createKey } from "@querybell/core/keys";
import { freePort } from "@querybell/embedded-postgres";
import { createBenchAutomation, createSquaresReference } from "./automations/create-automation.ts";
import { startProgramReceiver, subscribe } from "./mcp/programs.ts";
import { measureToolCost } from "./mcp/tool-cost.ts";
import { apiEntry, type Child, startChild, workerEntry } from "./webhooks/child.ts";
import { Emitted, emitterEntry } from "./webhooks/emit-request.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const { values: flags } = parseArgs({
  args: process.argv.slice(3),
  options: {
    events: { type: "string", default: "10000" },
    kills: { type: "string", default: "100" },
    replays: { type: "string", default: "40" },
  },
});
const [events, kills, replays] = [Number(flags.events), Number(flags.kills), Number(flags.replays)];
const organizationCount = 5;
const workerCount = 2;
const killEveryMs = { least: 500, most: 2_500 };
/** Each kill has its share of the events, emitted from before the kill until about the process is there again. */
const eventsOfKill = Math.ceil(events / kills);
const emittedWithinSeconds = 2.5;
const renewEveryMs = 300;
const settledWithinMs = 120_000;

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: () => {} });
  cleanup.defer(installation.dispose);
  const { deps, settings, environment } = installation;
  const receiver = await startProgramReceiver();
  cleanup.defer(receiver.close);
  const port = await freePort();
  const apiUrl = `http://127.0.0.1:${port}`;
  const apiEnvironment = { ...environment, PORT: String(port), RATE_LIMIT_PER_MINUTE: "1000000" };
  const start = {
    api: () => startChild(apiEntry, apiEnvironment),
    worker: () => startChild(workerEntry, environment),
  };
  const running: { kind: keyof typeof start; child: Child }[] = [];
  cleanup.defer(async () => {
    await Promise.all(running.map(({ child }) => child.kill()));
  });
  const cost = await measureToolCost(installation, cleanup);
  for (const kind of ["api", ...Array.from({ length: workerCount }, () => "worker" as const)] as const) {
    running.push({ kind, child: await start[kind]() });
  }

  const programs: { organizationId: string; automationId: string; key: string; path: string }[] = [];
  for (let index = 0; index < organizationCount; index++) {
    const owner = await installation.addOwner();
    const references = [{ shortId: await createSquaresReference(deps, owner, settings.DATABASE_URL) }];
    const { id: automationId } = await createBenchAutomation(deps, owner, { references });
    const scopes = ["events:subscribe" as const, "automations:read" as const];
    const { key } = await createKey(deps, owner, { name: "Program", scopes });
    const { organizationId } = owner;
    const path = `/${index}`;
    await subscribe({ apiUrl, key, url: receiver.url + path, cursor: null });
    programs.push({ organizationId, automationId, key, path });
  }

  const committed = new Map<number, string | undefined>();
  const emitter = await startChild(emitterEntry, environment);
  cleanup.defer(() => emitter.kill());
  emitter.onMessage((message) => {
    const { numbers, ids } = Emitted.parse(message);
    for (const [index, number] of numbers.entries()) committed.set(number, ids[index]);
  });
  let requested = 0;
  const emitNext = () => {
    const length = Math.min(eventsOfKill, events - requested);
    if (length === 0) return;
    emitter.send({
      organizationIds: programs.map(({ organizationId }) => organizationId),
      automationIds: programs.map(({ automationId }) => automationId),
      numbers: Array.from({ length }, (_, index) => requested + index),
      ...{ concurrency: 8, batchSize: 1, perSecond: length / emittedWithinSeconds, report: true },
    });
    requested += length;
  };

  let isOver = false;
  cleanup.defer(async () => {
    isOver = true;
  });
  const renewing = (async () => {
    for (let turn = 0; !isOver; turn++) {
      const program = programs[turn % programs.length];
      if (!program) break;
      const cursor = receiver.eventsAt(program.path).at(-1)?.cursor ?? null;
      await subscribe({ apiUrl, key: program.key, url: receiver.url + program.path, cursor });
      await delay(renewEveryMs);
    }
  })();

  let killed = 0;
  while (committed.size < events || killed < kills) {
    emitNext();
    await delay(killEveryMs.least + Math.random() * (killEveryMs.most - killEveryMs.least));
    if (killed >= kills) continue;
    const victim = running[Math.floor(Math.random() * running.length)];
    if (!victim) break;
    await victim.child.kill();
    victim.child = await start[victim.kind]();
    killed++;
    if (killed % 10 === 0) console.log(`${killed} kills, ${committed.size} events emitted`);
  }
  isOver = true;
  await renewing;

  const settle = async () => {
    const deadline = performance.now() + settledWithinMs;
    for (;;) {
      const unfinished = await deps.db.prisma.webhookDelivery.count({ where: { state: "pending" } });
      if (unfinished === 0 || performance.now() > deadline) return;
      await delay(100);
    }
  };
  await settle();
  const stored = await deps.db.prisma.webhookEvent.findMany({
    select: { id: true, organizationId: true, position: true },
    orderBy: { position: "asc" },
  });
  const idsOf = ({ organizationId }: { organizationId: string }) =>
    stored.filter((event) => event.organizationId === organizationId).map(({ id }) => id);
  let [lost, duplicates, changed] = [events - stored.length, 0, 0];
  for (const program of programs) {
    const arrived = receiver.eventsAt(program.path);
    const bodies = Map.groupBy(arrived, ({ eventId }) => eventId);
    lost += idsOf(program).filter((id) => !bodies.has(id)).length;
    duplicates += arrived.length - bodies.size;
    changed += [...bodies.values()].filter((same) => new Set(same.map(({ body }) => body)).size > 1).length;
  }

  let wrong = 0;
  for (let replay = 0; replay < replays; replay++) {
    const program = programs[replay % programs.length];
    const arrived = receiver.eventsAt(program?.path ?? "");
    const from = arrived[Math.floor(Math.random() * arrived.length)];
    if (!program || !from) throw new Error("Nothing has arrived.");
    const path = `/replay/${replay}`;
    const { key } = program;
    const { truncated } = await subscribe({ apiUrl, key, url: receiver.url + path, cursor: from.cursor });
    await settle();
    const ids = idsOf(program);
    const expected = ids.slice(ids.indexOf(from.eventId) + 1);
    const got = new Set(receiver.eventsAt(path).map(({ eventId }) => eventId));
    const isExact = got.size === expected.length && expected.every((id) => got.has(id));
    if (truncated || !isExact) wrong++;
  }
  if (lost + changed + wrong > 0) process.exitCode = 1;
  console.log(`events=${events} kills=${killed} duplicates=${duplicates} changed=${changed}`);
  console.log(
    `mcp lost=${lost} replay_wrong=${wrong} tool_ms=${cost.toolMs.toFixed(2)} tokens=${cost.tokens}`,
  );
});
