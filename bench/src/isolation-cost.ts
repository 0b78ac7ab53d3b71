// The cost of isolating engine hosts: the time of SELECT 1 from `queries.run` to its end, without isolation and with each
// isolation that works on this machine. Cold: the first run of an organization, which starts a host. Warm: a run on an
// existing host. Medians.
import { freePort } from "@querybell/embedded-postgres";
import { findIsolation, isolationSettings } from "@querybell/engine-hosts";
import { createApi } from "./fairness/api-calls.ts";
import { addOrganization } from "./fairness/organization.ts";
import { percentile } from "./measuring/percentile.ts";
import { apiEntry, startChild, workerEntry } from "./webhooks/child.ts";
import { startInstallation } from "./webhooks/installation.ts";
import { withCleanup } from "./webhooks/with-cleanup.ts";

const engines = ["duckdb", "postgres"] as const;
type Engine = (typeof engines)[number];
const counts = { cold: 12, warm: 60, warmUp: 10 };
// The first one is the reference for the others.
const ways = isolationSettings.filter((name) => name !== "auto").toReversed();

await withCleanup(async (cleanup) => {
  const installation = await startInstallation({ onError: console.error });
  cleanup.defer(installation.dispose);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const environment = {
    ...installation.environment,
    ANALYTICS_NETWORKS: "127.0.0.0/8",
    RATE_LIMIT_PER_MINUTE: "6000",
    PORT: String(port),
  };
  const api = await startChild(apiEntry, environment);
  cleanup.defer(api.kill);
  const warmedUp = await addCaller();
  const callers: Awaited<ReturnType<typeof addCaller>>[] = [];
  while (callers.length < counts.cold) callers.push(await addCaller());

  const compared = new Map<string, number>();
  for (const way of ways) {
    const problem = await findIsolation(way).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (problem !== undefined) console.log(`${way} does not work here: ${problem}`);
    else await measure(way);
  }

  async function measure(way: string): Promise<void> {
    const worker = await startChild(workerEntry, { ...environment, ENGINE_ISOLATION: way });
    cleanup.defer(worker.kill);
    for (const engine of engines) {
      // Warms up the worker, whose own first run is slow.
      for (let done = 0; done < counts.warmUp; done++) await warmedUp(engine);
      const cold: number[] = [];
      for (const run of callers) cold.push(await run(engine));
      const [run = warmedUp] = callers.slice(-1);
      const warm: number[] = [];
      while (warm.length < counts.warm) warm.push(await run(engine));
      const shown = [describe(`${engine} cold`, cold), describe(`${engine} warm`, warm)];
      console.log(`isolation-cost way=${way} engine=${engine} ${shown.join(" ")}`);
    }
    await worker.stop();
  }

  /** The median, and its difference to the median without isolation. */
  function describe(what: string, latencies: number[]): string {
    const median = percentile(latencies, 50);
    const without = compared.get(what) ?? median;
    compared.set(what, without);
    return `${what.split(" ").at(-1)}=${median.toFixed(1)}ms (+${(median - without).toFixed(1)})`;
  }

  /** Creates an organization; returns a function that runs SELECT 1 and measures its milliseconds. */
  async function addCaller() {
    const organization = await addOrganization(installation);
    const { runToEnd } = createApi(url, await organization.addKey());
    const ids = {
      duckdb: (await organization.addQuery("duckdb", "SELECT 1")).id,
      postgres: (await organization.addQuery("postgres", "SELECT 1")).id,
    };
    return async (engine: Engine): Promise<number> => {
      const startedAt = performance.now();
      await runToEnd(ids[engine]);
      return performance.now() - startedAt;
    };
  }
});
