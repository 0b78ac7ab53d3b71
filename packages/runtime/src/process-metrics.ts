import { timingSafeEqual } from "node:crypto";
import type { Deps } from "@querybell/core";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { SharedSettings } from "./settings.ts";

/** The metrics that the api and the worker share. Each adds others to the registry. */
export function createProcessMetrics(deps: Pick<Deps, "db" | "engines">): {
  registry: Registry;
  stop(): void;
} {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: "querybell_database_connections",
    help: "Connections of this process to the database, by state: busy, idle, waited_for (calls that wait for one)",
    labelNames: ["state"],
    registers,
    collect() {
      const { totalCount, idleCount, waitingCount } = deps.db.pool;
      this.set({ state: "busy" }, totalCount - idleCount);
      this.set({ state: "idle" }, idleCount);
      this.set({ state: "waited_for" }, waitingCount);
    },
  });
  new Gauge({
    name: "querybell_engine_isolation",
    help: "1 for the isolation method of engine hosts, which can be none",
    labelNames: ["way"],
    registers,
    async collect() {
      this.set({ way: (await deps.engines.isolation()).name }, 1);
    },
  });
  const delay = new Histogram({
    name: "querybell_event_loop_delay_seconds",
    help: "By how long the event loop was late, measured 20 times a second",
    buckets: [0.01, 0.05, 0.1, 0.2, 0.5, 1, 5, 20],
    registers,
  });
  const { stop } = watchEventLoop((seconds) => delay.observe(seconds));
  return { registry, stop };
}

const tickEveryMs = 50;

/**
 * Measures 20 times a second by how many seconds the event loop is late. During that time the process answers no
 * request and renews no lease. Long computations belong in an engine host.
 */
export function watchEventLoop(report: (delaySeconds: number) => void): { stop(): void } {
  let expectedAt = performance.now() + tickEveryMs;
  const timer = setInterval(() => {
    const now = performance.now();
    report(Math.max(0, now - expectedAt) / 1000);
    expectedAt = now + tickEveryMs;
  }, tickEveryMs).unref();
  return { stop: () => clearInterval(timer) };
}

/** If a token is set, requests must send it. Without a token, the metrics are public, but not in production. */
export function mayReadMetrics(
  { METRICS_TOKEN: token, NODE_ENV }: Pick<SharedSettings, "METRICS_TOKEN" | "NODE_ENV">,
  authorization = "",
): boolean {
  if (!token) return NODE_ENV !== "production";
  const [sent, expected] = [Buffer.from(authorization), Buffer.from(`Bearer ${token}`)];
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
