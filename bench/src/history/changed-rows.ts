import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { triggerAutomation } from "@querybell/core/automations";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { createEndpoint } from "@querybell/core/webhooks";
import { type Automation, ConditionRule, CreateWebhookEndpoint } from "@querybell/domain";
import { z } from "zod";
import { createBenchAutomation, createOwnDatabase } from "../automations/create-automation.ts";
import { type Child, startChild, workerEntry } from "../webhooks/child.ts";
import type { Installation } from "../webhooks/installation.ts";
import { ChangingList, type ListChange } from "./changing-list.ts";

interface ChangedRowsOptions {
  cleanup: AsyncDisposableStack;
  runs: number;
}

const workerCount = 3;
const killEveryMs = { least: 500, most: 2_500 };
const pollEveryMs = 100;
const mostAutomations = 50;

const RowsEvent = z.object({
  id: z.string(),
  data: z.object({
    runId: z.string(),
    part: z.int(),
    parts: z.int(),
    omittedRows: z.literal(0),
    rows: z.array(
      z.object({
        change: z.enum(["entered", "left", "changed"]),
        now: z.array(z.json()).nullable(),
        before: z.array(z.json()).nullable(),
        omittedCells: z.null(),
      }),
    ),
  }),
});
type RowsEvent = z.infer<typeof RowsEvent>;

/**
 * Runs automations that watch the rows of lists, while their workers are killed. Counts the changes that did not arrive,
 * or arrived under two event ids, or with other values.
 */
export async function checkChangedRows(
  { deps, settings, environment, addOwner }: Installation,
  { cleanup, runs }: ChangedRowsOptions,
): Promise<{ rowsWrong: number; changes: number; events: number; kills: number }> {
  const { pool } = deps.db;
  const received = await startReceiver(cleanup);
  const owner = await addOwner();
  const endpoint = { url: received.url, eventTypes: ["automation.rows.changed"] };
  await createEndpoint(deps, owner, CreateWebhookEndpoint.parse(endpoint));
  await pool.query(
    `CREATE TABLE bench_lists (list int, id int, amount numeric, note text, PRIMARY KEY (list, id))`,
  );
  const analyticalDatabaseConfigId = await createOwnDatabase(deps, owner, settings.DATABASE_URL);
  const rule = ConditionRule.parse({
    condition: { kind: "rows_changed", changes: ["entered", "left", "changed"], key: ["id"] },
  });

  async function createWatcher(list: number): Promise<Automation> {
    const sql = `SELECT id, amount, note FROM bench_lists WHERE list = ${list} ORDER BY id`;
    const { id: queryId } = await createQuery(deps, owner, { sql, analyticalDatabaseConfigId });
    const { shortId } = await createReference(deps, owner, { queryId, title: `List ${list}` });
    return createBenchAutomation(deps, owner, { references: [{ shortId }], condition: { shortId, rule } });
  }

  const environmentOfWorkers = { ...environment, ANALYTICS_NETWORKS: "127.0.0.0/8" };
  const workers: Child[] = [];
  cleanup.defer(async () => void (await Promise.all(workers.map((worker) => worker.kill()))));
  const startWorker = async () => void workers.push(await startChild(workerEntry, environmentOfWorkers));
  for (let index = 0; index < workerCount; index++) await startWorker();

  /** What each run must tell. */
  const expected = new Map<string, ListChange[]>();
  let ended = 0;
  const automations = Math.min(mostAutomations, Math.ceil(runs / 10));

  async function watch(list: number): Promise<void> {
    const automation = await createWatcher(list);
    const rows = new ChangingList(list + 1);
    // Of the last run that was compared: the next one is compared with the same rows.
    let base: ReturnType<ChangingList["snapshot"]> | undefined;
    for (let run = list; run < runs; run += automations) {
      rows.change();
      await pool.query(
        `WITH gone AS (DELETE FROM bench_lists WHERE list = $1 AND NOT id = ANY($2::int[]))
         INSERT INTO bench_lists SELECT $1, * FROM unnest($2::int[], $3::numeric[], $4::text[])
         ON CONFLICT (list, id) DO UPDATE SET amount = excluded.amount, note = excluded.note`,
        [list, ...rows.columns()],
      );
      const { id } = await triggerAutomation(deps, owner, automation);
      const status = await untilEnded(id);
      ended++;
      if (status !== "completed") continue;
      const now = rows.snapshot();
      if (base) expected.set(id, rows.changesSince(base));
      base = now;
    }
  }

  async function untilEnded(id: string): Promise<string> {
    for (;;) {
      const { rows } = await pool.query<{ status: string }>(
        "SELECT status FROM automation_runs WHERE id = $1 AND completed_at IS NOT NULL",
        [id],
      );
      if (rows[0]) return rows[0].status;
      await delay(pollEveryMs);
    }
  }

  let kills = 0;
  const killing = new AbortController();
  const killWorkers = async () => {
    while (!killing.signal.aborted) {
      await delay(killEveryMs.least + Math.random() * (killEveryMs.most - killEveryMs.least));
      const { rows } = await pool.query<{ n: number }>(
        "SELECT count(*)::int AS n FROM automation_runs WHERE status = 'running' AND lease_until > now()",
      );
      // Killing an idle worker would test nothing.
      if ((rows[0]?.n ?? 0) === 0) continue;
      await workers.shift()?.kill();
      kills++;
      console.error(`${ended} of ${runs} runs have ended; killed a worker while ${rows[0]?.n} were in hand.`);
      await startWorker();
    }
  };
  const killed = killWorkers();
  await Promise.all(Array.from({ length: automations }, (_, list) => watch(list)));
  killing.abort();
  await killed;
  for (;;) {
    const { rows } = await pool.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM webhook_deliveries WHERE state NOT IN ('succeeded', 'exhausted')",
    );
    if (rows[0]?.n === 0) break;
    await delay(pollEveryMs);
  }
  await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  const changes = [...expected.values()].reduce((sum, { length }) => sum + length, 0);
  const rowsWrong = countWrong(expected, [...received.events.values()]) + received.differing;
  return { rowsWrong, changes, events: received.events.size, kills };
}

/** Changes that are missing, repeated or different, and events that are no part of what their run tells. */
function countWrong(expected: ReadonlyMap<string, ListChange[]>, events: readonly RowsEvent[]): number {
  let wrong = 0;
  const byRun = Map.groupBy(events, ({ data }) => data.runId);
  for (const [runId, its] of byRun) if (!expected.has(runId)) wrong += its.length;
  for (const [runId, changes] of expected) {
    const its = byRun.get(runId) ?? [];
    const parts = its.map(({ data }) => data.part).sort((one, other) => one - other);
    if (
      parts.some((part, index) => part !== index + 1) ||
      its.some(({ data }) => data.parts !== parts.length)
    ) {
      wrong++;
    }
    const told = its.flatMap(({ data }) =>
      data.rows.map(({ change, now, before }) => JSON.stringify({ change, now, before })),
    );
    const wanted = new Set(changes.map((change) => JSON.stringify(change)));
    wrong += told.filter((one) => !wanted.delete(one)).length + wanted.size;
  }
  return wrong;
}

/** Keeps each event once, by its id, as a receiver should. */
async function startReceiver(cleanup: AsyncDisposableStack) {
  const events = new Map<string, RowsEvent>();
  const bodies = new Map<string, string>();
  const counts = { differing: 0 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const event = RowsEvent.parse(JSON.parse(body));
      if ((bodies.get(event.id) ?? body) !== body) counts.differing++;
      bodies.set(event.id, body);
      events.set(event.id, event);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanup.defer(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The receiver has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    events,
    get differing() {
      return counts.differing;
    },
  };
}
