import type { Deps } from "@querybell/core";
import { claimRun, completeClaimedRun, triggerAutomation } from "@querybell/core/automations";
import { listReferences } from "@querybell/core/references";
import { purgeHistory } from "@querybell/core/retention";
import { search } from "@querybell/core/search";
import type { Caller } from "@querybell/domain";
import { emitEvents, findDeliveries, purgeWebhookHistory } from "@querybell/webhooks";
import { numberedEvent } from "../webhooks/numbered-event.ts";
import { deliver } from "./deliver.ts";
import { type Cost, measureStatements } from "./measure-statements.ts";

/** An organization with an automation of an external agent, and an endpoint that accepts everything. */
export interface Subject {
  deps: Deps;
  owner: Caller;
  automationId: string;
}

export interface HistoryPeriod {
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
      "emit an event": { statement: "FROM emit_webhook_events(", operations: times },
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
