import { once } from "node:events";
import { createServer } from "node:http";
import type { Deps } from "@querybell/core";
import { claimRun, completeClaimedRun, triggerAutomation } from "@querybell/core/automations";
import { listReferences } from "@querybell/core/references";
import { purgeHistory } from "@querybell/core/retention";
import { search } from "@querybell/core/search";
import type { Caller } from "@querybell/domain";
import { createSender, findDeliveries, purgeWebhookHistory, startPump } from "@querybell/webhooks";
import { emitEvents } from "@querybell/webhooks/testing/emit-events";
import { numberedEvent } from "../webhooks/numbered-event.ts";

/** An organization with an automation of an external agent, and an endpoint that accepts everything. */
export interface Subject {
  deps: Deps;
  owner: Caller;
  automationId: string;
}

interface HistoryPeriod {
  /** What is older is purged. */
  days: number;
  /** How many rows of each kind of history are older. */
  oldRows: number;
}

const times = 100;
const limit = 20;

/** Measures each operation of the service on the data as it is. */
export async function measureOperations(subject: Subject, period: HistoryPeriod): Promise<[string, Cost][]> {
  return [
    ...(await measureRuns(subject)),
    ...(await measureDeliveries(subject)),
    ...(await measureReads(subject)),
    ...(await measurePurges(subject, period)),
  ];
}

const repeat = async (work: (index: number) => Promise<unknown>): Promise<void> => {
  for (let index = 0; index < times; index++) await work(index);
};

const measureRuns = (subject: Subject) =>
  measureStatements(
    subject.deps,
    {
      "trigger a run": { statement: "insert_automation_run(", operations: times },
      "claim a run": { statement: "claim_external_run(", operations: times },
      "end a run": { statement: "end_automation_run(", operations: times },
    },
    () => repeat(() => completeRun(subject)),
  );

/** Triggers, claims and completes a run, as an external agent does. */
export async function completeRun({ deps, owner, automationId }: Subject): Promise<void> {
  await triggerAutomation(deps, owner, { id: automationId });
  const claim = await claimRun(deps, owner, { automationId, leaseSeconds: 600 });
  if (!claim) throw new Error("There was no run to claim.");
  const { run, claimNumber } = claim;
  await completeClaimedRun(deps, owner, { runId: run.id, claimNumber, summary: "All went well." });
}

async function measureDeliveries({ deps, owner }: Subject) {
  // The runs that have just ended are delivered first.
  await deliver(deps);
  const organizationIds = [owner.organizationId];
  const emit = (index: number) =>
    deps.db.transaction((tx) =>
      emitEvents({ ...deps, tx }, [numberedEvent(deps, { organizationIds, number: index })]),
    );
  return measureStatements(
    deps,
    {
      "emit an event": { statement: "emit_webhook_event(", operations: times },
      "claim a delivery": { statement: "AS wanted(endpoint_id", operations: times },
      "record an outcome": { statement: "WITH fence AS", operations: times },
    },
    async () => {
      await repeat(emit);
      await deliver(deps);
    },
  );
}

async function measureReads({ deps, owner }: Subject) {
  const { pool } = deps.db;
  const { organizationId } = owner;
  const lastPage = await pool.query<{ id: string }>(
    "SELECT id FROM webhook_deliveries ORDER BY id OFFSET $1 LIMIT 1",
    [limit],
  );
  const find = (beforeId?: string) => findDeliveries(pool, { organizationId, beforeId, limit });
  const pages = (name: string, statement: string, work: () => Promise<unknown>) =>
    measureStatements(deps, { [name]: { statement, operations: times } }, () => repeat(work));
  const deliveries = "FROM webhook_endpoints e CROSS JOIN LATERAL";
  return [
    ...(await pages("first page of deliveries", deliveries, () => find())),
    ...(await pages("last page of deliveries", deliveries, () => find(lastPage.rows[0]?.id))),
    ...(await pages("first page of references", "query_references", () =>
      listReferences(deps, owner, { limit, isOptimistic: false }),
    )),
    // A word that one automation has. A word that everything has costs as much as there are matches to rank.
    ...(await pages("search", "ORDER BY rank DESC", () => search(deps, owner, { text: "bench", limit }))),
  ];
}

/** What a purge costs for each row that it deletes. */
async function measurePurges({ deps }: Subject, { days, oldRows }: HistoryPeriod) {
  const { retention } = deps.deployment;
  const periods = { queryRunDays: days, automationRunDays: days, notificationDays: days, auditDays: days };
  const deployment = { ...deps.deployment, retention: { ...retention, ...periods } };
  return [
    ...(await measureStatements(
      deps,
      { "purge a delivery": { statement: "", operations: oldRows } },
      async () => {
        const purged = await purgeWebhookHistory(deps.db.pool, { days });
        if (purged.events < oldRows / 2) throw new Error(`Only ${purged.events} events were old.`);
      },
    )),
    ...(await measureStatements(
      deps,
      { "purge a run": { statement: "automation_runs", operations: oldRows } },
      () => purgeHistory({ ...deps, deployment }),
    )),
  ];
}

/** A receiver on loopback that accepts everything. */
export async function startAcceptingReceiver() {
  const server = createServer((request, response) => request.resume().once("end", () => response.end()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The receiver has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Sends everything that is due with a new pump. */
export async function deliver({ db, clock, guard, sealer }: Deps): Promise<void> {
  const sender = createSender({ guard, clock });
  const { pool, notices } = db;
  const pump = await startPump({ pool, notices, clock, guard, sealer, sender, onError: console.error });
  await pump.drain();
  await pump.stop();
  sender.close();
}

/** What the statements of one operation cost in Postgres, with their functions, triggers and foreign keys. */
export interface Cost {
  /** Pages of tables and indexes that were touched. The same on every machine. */
  pages: number;
  milliseconds: number;
}

interface Measured {
  /** A part of the text of the operation's statements. */
  statement: string;
  /** How many operations were done. */
  operations: number;
}

/** Does the work, and returns what each of the named operations in it cost. */
async function measureStatements<Name extends string>(
  { db: { pool } }: Pick<Deps, "db">,
  operations: Record<Name, Measured>,
  work: () => Promise<unknown>,
): Promise<[Name, Cost][]> {
  await pool.query("SELECT pg_stat_statements_reset()");
  await work();
  const { rows } = await pool.query<Cost & { text: string }>(
    `SELECT query AS text, (shared_blks_hit + shared_blks_read)::float AS pages, total_exec_time AS milliseconds
     FROM pg_stat_statements WHERE query !~ 'pg_stat_statements'`,
  );
  return Object.entries<Measured>(operations).map(([name, { statement, operations: count }]) => {
    const found = rows.filter(({ text }) => text.includes(statement));
    if (found.length === 0) throw new Error(`No statement of "${name}" was sent.`);
    const sum = (of: keyof Cost) => found.reduce((total, row) => total + row[of], 0) / count;
    return [name as Name, { pages: sum("pages"), milliseconds: sum("milliseconds") }];
  });
}
