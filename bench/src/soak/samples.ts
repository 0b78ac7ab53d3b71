import type { Deps } from "@querybell/core";
import { compareThirds, hasGrown, minMinutes, type Thirds } from "../measuring/thirds.ts";
import type { Fleet, Role } from "./fleet.ts";
import { roles } from "./fleet.ts";
import { countFiles, descendantsOf, type KnownProcess, readUsage } from "./processes.ts";

interface Sample {
  rssBytes: number;
  files: number;
  processes: number;
}

const sampleEveryMs = 5_000;
/** A collection takes some milliseconds, so the heap is measured less often. */
const heapEvery = 6;
const idleTransactionSeconds = 60;

const tolerance = {
  heap: { factor: 1.15, plus: 8e6 },
  rss: { factor: 1.15, plus: 40e6 },
  files: { factor: 1, plus: 20 },
};

/** Measures the steady processes and the connections to Postgres until it is stopped. */
export function startSampling({ deps, fleet }: { deps: Deps; fleet: Fleet }) {
  const usage: Record<Role, Sample[]> = { api: [], worker: [] };
  const heaps: Record<Role, number[]> = { api: [], worker: [] };
  const seen = new Map<string, KnownProcess>();
  const problems = new Set<string>();
  let maxConnections = 0;
  let turn = 0;

  async function readConnections(): Promise<void> {
    const { rows } = await deps.db.pool.query<{ connections: number; idleInTransaction: number }>(
      `SELECT count(*)::int AS connections, (count(*) FILTER (WHERE state LIKE 'idle in transaction%'
           AND state_change < now() - make_interval(secs => $1)))::int AS "idleInTransaction"
       FROM pg_stat_activity WHERE backend_type = 'client backend'`,
      [idleTransactionSeconds],
    );
    maxConnections = Math.max(maxConnections, rows[0]?.connections ?? 0);
    if (rows[0]?.idleInTransaction) problems.add("A connection was idle in a transaction for over a minute.");
  }

  async function sample(): Promise<void> {
    for (const { role, isSteady, child } of fleet.places) {
      const descendants = descendantsOf(child.pid);
      for (const one of descendants) seen.set(`${one.pid} ${one.startedAt}`, one);
      const used = isSteady && readUsage(child.pid);
      if (used) usage[role].push({ ...used, processes: descendants.length });
    }
    if (turn++ % heapEvery === 0) {
      for (const role of roles) heaps[role].push(await fleet.heapBytes(role));
    }
    // Fails while Postgres is down.
    await readConnections().catch(() => {});
  }

  let sampling = Promise.resolve();
  const timer = setInterval(() => {
    sampling = sampling.then(sample);
  }, sampleEveryMs);

  return {
    async stop() {
      clearInterval(timer);
      await sampling;
    },
    /** Every process that a process of the product has started. */
    startedProcesses: () => [...seen.values()],
    maxConnections: () => maxConnections,
    /** The medians of the second and of the last third. */
    growth(role: Role, what: "heap" | keyof Sample): Thirds {
      return compareThirds(what === "heap" ? heaps[role] : usage[role].map((one) => one[what]));
    },
    problems(minutes: number): string[] {
      const grown = roles.flatMap((role) =>
        (["heap", "rssBytes", "files"] as const).flatMap((what) => {
          const thirds = this.growth(role, what);
          if (minutes < minMinutes || !hasGrown(thirds, tolerance[what === "rssBytes" ? "rss" : what]))
            return [];
          const place = fleet.places.find((one) => one.role === role && one.isSteady);
          const files = what === "files" && place ? JSON.stringify(countFiles(place.child.pid)) : "";
          return [`The ${what} of the ${role} grew from ${thirds.second} to ${thirds.last}. ${files}`];
        }),
      );
      return [...problems, ...grown];
    },
  };
}
export type Sampling = ReturnType<typeof startSampling>;
