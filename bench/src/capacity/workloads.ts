import { mkdir } from "node:fs/promises";
import { freePort } from "@querybell/embedded-postgres";
import { z } from "zod";
import { perSecond } from "../automations/api-load.ts";
import { openDuckdb } from "../runs/engines.ts";
import { openOurRuns } from "../runs/our-runs.ts";
import { allRecorded, commitBacklog } from "../webhooks/backlog.ts";
import { apiEntry, type Child, startChild, workerEntry } from "../webhooks/child.ts";
import type { Installation } from "../webhooks/installation.ts";
import type { ReceiverProcess } from "../webhooks/receiver-messages.ts";
import { insertRunningRuns, runEnderEntry } from "../webhooks/running-runs.ts";

/** What one Postgres carries so many of a second. */
export interface Workload {
  name: string;
  /** How many are measured. */
  count: number;
  /** The processes that work with Postgres. */
  processes: Child[];
  /** Makes what is measured, before the measurement. */
  prepare(count: number): Promise<() => Promise<number>>;
  stop(): Promise<void>;
}

interface Setup {
  installation: Installation;
  cleanup: AsyncDisposableStack;
}

const secondsOf = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
};

const stopAll = async (processes: Child[]) =>
  void (await Promise.all(processes.map((child) => child.stop())));

/** Runs of automations that end, each with an event and a delivery. Nothing is delivered. */
export async function endsOfRuns({ installation, cleanup }: Setup, count: number): Promise<Workload> {
  const { deps, environment, addEndpoints } = installation;
  const added = await addEndpoints(Array.from({ length: 100 }, (_, index) => `http://127.0.0.1:9/${index}`));
  const organizationIds = added.map(({ organizationId }) => organizationId);
  const ender = await startChild(runEnderEntry, environment);
  cleanup.defer(ender.kill);
  return {
    name: "ends of runs, with an event and a delivery each",
    count,
    processes: [ender],
    async prepare(many) {
      const runs = await insertRunningRuns(deps, organizationIds, many);
      return () => secondsOf(() => ender.ask({ runs, concurrency: 10 }));
    },
    async stop() {
      await stopAll([ender]);
      await deps.db.pool.query("UPDATE webhook_deliveries SET state = 'cancelled' WHERE state = 'pending'");
    },
  };
}

/** Deliveries of a backlog, by one worker. */
export async function deliveries(
  { installation, cleanup, receiver }: Setup & { receiver: ReceiverProcess },
  count: number,
): Promise<Workload> {
  const { deps, environment, addEndpoints } = installation;
  const urls = Array.from({ length: 100 }, (_, index) => `${receiver.url}/${index}`);
  const organizationIds = (await addEndpoints(urls)).map(({ organizationId }) => organizationId);
  const worker = await startChild(workerEntry, environment);
  cleanup.defer(worker.kill);
  let emitted = 0;
  return {
    name: "deliveries of a backlog",
    count,
    processes: [worker],
    async prepare(many) {
      await receiver.take();
      // One transaction: nothing is sent before it ends.
      await commitBacklog(deps, { organizationIds, first: emitted, count: many });
      emitted += many;
      return () =>
        secondsOf(async () => {
          await receiver.arrived(many);
          await allRecorded(deps);
        });
    },
    stop: () => stopAll([worker]),
  };
}

const callers = 8;

/** Runs of `SELECT 1` on DuckDB, each called, watched and stored. */
export async function queryRuns({ installation, cleanup }: Setup, count: number): Promise<Workload> {
  const { environment, settings } = installation;
  await mkdir(settings.DUCKDB_FOLDER, { recursive: true });
  const owner = await installation.addOwner();
  const engine = await openDuckdb(installation, owner);
  cleanup.defer(engine.close);
  const port = await freePort();
  const limits = { PORT: String(port), RATE_LIMIT_PER_MINUTE: "1000000000" };
  const api = await startChild(apiEntry, { ...environment, ...limits });
  cleanup.defer(api.kill);
  const worker = await startChild(workerEntry, environment);
  cleanup.defer(worker.kill);
  const ours = await openOurRuns({ installation, owner, url: `http://127.0.0.1:${port}`, callers });
  cleanup.defer(ours.close);
  const free = await Promise.all(
    Array.from({ length: callers }, () => ours.createQuery(engine.databaseId, "SELECT 1 AS n")),
  );
  const runOne = async () => {
    const id = z.string().parse(free.pop());
    await ours.run(id);
    free.push(id);
  };
  return {
    name: "runs of queries, each called, watched and stored",
    count,
    processes: [api, worker],
    prepare: async (many) => async () =>
      many / (await perSecond({ calls: many, concurrency: callers }, runOne)),
    stop: () => stopAll([api, worker]),
  };
}
