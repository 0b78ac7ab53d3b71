import { freePort } from "@querybell/embedded-postgres";
import { perSecond } from "../automations/api-load.ts";
import { openPostgres } from "../runs/engines.ts";
import { openOurRuns } from "../runs/our-runs.ts";
import { apiEntry, startChild, workerEntry } from "../webhooks/child.ts";
import type { Installation } from "../webhooks/installation.ts";

interface Setup {
  installation: Installation;
  cleanup: AsyncDisposableStack;
  workerCounts: number[];
  runs: number;
}

const statement = "SELECT pg_sleep(0.05)";
const callers = 32;

/** Runs a query of 50 ms as fast as so many workers with four slots each can. */
export async function measureRuns({ installation, cleanup, workerCounts, runs }: Setup) {
  const owner = await installation.addOwner();
  const engine = await openPostgres(installation, owner);
  cleanup.defer(engine.close);
  const port = await freePort();
  const environment = {
    ...installation.environment,
    ANALYTICS_NETWORKS: "127.0.0.0/8",
    MAX_QUERY_RUNS_PER_ORGANIZATION: "100",
  };
  const api = await startChild(apiEntry, {
    ...environment,
    PORT: String(port),
    RATE_LIMIT_PER_MINUTE: "1000000000",
  });
  cleanup.defer(api.kill);
  const ours = await openOurRuns({ installation, owner, url: `http://127.0.0.1:${port}`, callers });
  cleanup.defer(ours.close);
  // A query for each caller: a run with equal values joins the one that is unfinished.
  const queryIds: string[] = [];
  for (let made = 0; made < callers; made++) {
    queryIds.push(await ours.createQuery(engine.databaseId, statement));
  }

  const measured: { workers: number; perSecond: number }[] = [];
  for (const workers of workerCounts) {
    const children = [];
    for (let started = 0; started < workers; started++) {
      const child = await startChild(workerEntry, environment);
      cleanup.defer(child.kill);
      children.push(child);
    }
    const free = [...queryIds];
    const run = async () => {
      const id = free.pop();
      if (id === undefined) throw new Error("There are more callers than queries.");
      await ours.run(id);
      free.push(id);
    };
    await perSecond({ calls: callers * 2, concurrency: callers }, run);
    measured.push({ workers, perSecond: await perSecond({ calls: runs, concurrency: callers }, run) });
    await Promise.all(children.map((child) => child.stop()));
  }
  await api.stop();
  return measured;
}
