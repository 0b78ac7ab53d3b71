import type { Deps } from "@querybell/core";
import { countEndpoints, type PumpObserver, type PumpStats, readDeliveryBacklog } from "@querybell/webhooks";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { createCertificateEnds } from "./certificate-ends.ts";
import { singleFlight } from "./metrics.ts";

export interface DeliveryMetrics extends PumpObserver {
  /** Notes the end of the certificate of a receiver. */
  onCertificate(host: string, expiresAt: Date): void;
  /** Reports the state of the pump too, once it has started. */
  observePump(readStats: () => PumpStats): void;
}

const noPump: PumpStats = {
  endpoints: 0,
  buffered: 0,
  unrecorded: 0,
  inFlight: { healthy: 0, untried: 0, struggling: 0 },
};

/** The metrics of webhook deliveries, for operators. */
export function createDeliveryMetrics(deps: Deps, registry: Registry): DeliveryMetrics {
  const registers = [registry];
  const readBacklog = singleFlight(() => readDeliveryBacklog(deps.db.pool));
  let readStats = () => noPump;

  const attempts = new Counter({
    name: "querybell_webhook_attempts_total",
    help: "Attempts at deliveries, by outcome and lane",
    labelNames: ["outcome", "lane"],
    registers,
  });
  // From 0 on, or Prometheus would not count the first failure of a lane as an increase.
  for (const lane of Object.keys(noPump.inFlight)) attempts.inc({ outcome: "sender_failure", lane }, 0);
  const duration = new Histogram({
    name: "querybell_webhook_attempt_seconds",
    help: "How long attempts took, by lane",
    labelNames: ["lane"],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    registers,
  });
  const latency = new Histogram({
    name: "querybell_webhook_first_attempt_latency_seconds",
    help: "From the transaction that emitted an event to the start of the first attempt",
    buckets: [0.005, 0.015, 0.06, 0.25, 1, 5, 30, 300],
    registers,
  });
  new Gauge({
    name: "querybell_webhook_in_flight",
    help: "Attempts in flight in this worker, by lane",
    labelNames: ["lane"],
    registers,
    collect() {
      for (const [lane, count] of Object.entries(readStats().inFlight)) this.set({ lane }, count);
    },
  });
  new Gauge({
    name: "querybell_webhook_pump",
    help: "What this worker's pump has in hand: endpoints held, deliveries buffered, outcomes not yet written",
    labelNames: ["what"],
    registers,
    collect() {
      const { inFlight: _, ...counts } = readStats();
      for (const [what, count] of Object.entries(counts)) this.set({ what }, count);
    },
  });
  new Gauge({
    name: "querybell_webhook_oldest_due_seconds",
    help: "How long the delivery that waits longest could have been attempted already",
    registers,
    async collect() {
      this.set((await readBacklog()).oldestDueSeconds);
    },
  });
  new Gauge({
    name: "querybell_webhook_deliveries",
    help: "Unfinished deliveries in the database, by state: due, waiting (for a retry), held",
    labelNames: ["state"],
    registers,
    async collect() {
      const { oldestDueSeconds: _, ...states } = await readBacklog();
      for (const [state, count] of Object.entries(states)) this.set({ state }, count);
    },
  });
  new Gauge({
    name: "querybell_webhook_endpoints",
    help: "Endpoints of the whole installation, by state: enabled, disabled (by failures or by an admin)",
    labelNames: ["state"],
    registers,
    async collect() {
      for (const [state, count] of Object.entries(await countEndpoints(deps.db.pool)))
        this.set({ state }, count);
    },
  });
  const certificates = createCertificateEnds(deps.clock);
  new Gauge({
    name: "querybell_webhook_certificate_expires_in_seconds",
    help: "When certificates of receivers end, as this worker has seen them when it connected: the 20 that end first, within 30 days",
    labelNames: ["host"],
    registers,
    collect() {
      this.reset();
      for (const { host, expiresInMs } of certificates.listSoon()) this.set({ host }, expiresInMs / 1000);
    },
  });

  return {
    onCertificate: certificates.add,
    observePump(read) {
      readStats = read;
    },
    onAttempt({ outcome, lane, totalMs, latencyMs }) {
      attempts.inc({ outcome, lane });
      duration.observe({ lane }, totalMs / 1000);
      if (latencyMs !== undefined) latency.observe(latencyMs / 1000);
    },
  };
}
