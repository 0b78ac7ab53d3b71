import type { Deps } from "@querybell/core";
import { AppError } from "@querybell/domain";
import {
  countConnections,
  databaseConnectionsMetric,
  eventLoopDelayMetric,
  mayReadMetrics,
  watchEventLoop,
} from "@querybell/runtime";
import type { FastifyInstance } from "fastify";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { ApiSettings } from "../env.ts";

interface MetricsOptions {
  deps: Deps;
  settings: Pick<ApiSettings, "METRICS_TOKEN" | "NODE_ENV">;
}

/** Called with each call of a procedure that has ended: over HTTP, also in a batch, or for a page. */
export type ObserveCall = (call: { procedure: string; status: number; seconds: number }) => void;

const buckets = [0.005, 0.02, 0.1, 0.5, 2, 10];

/** Serves Prometheus metrics at `/metrics`; in production only with a token. Returns the registry for further metrics. */
export function addMetrics(
  app: FastifyInstance,
  { deps, settings }: MetricsOptions,
): { registry: Registry; observeCall: ObserveCall } {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "querybell_http_request_duration_seconds",
    help: "Time from the request's arrival to the end of its answer",
    labelNames: ["method", "route", "status"],
    buckets,
    registers: [registry],
  });
  const callDuration = new Histogram({
    name: "querybell_procedure_duration_seconds",
    help: "Time of a call of a procedure, by its name and the status of its answer; of a subscription, until it begins",
    labelNames: ["procedure", "status"],
    buckets,
    registers: [registry],
  });
  new Gauge({
    ...databaseConnectionsMetric,
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(countConnections(deps))) this.set({ state }, count);
    },
  });

  new Gauge({
    name: "querybell_engine_isolation",
    help: "1 for the isolation method of engine hosts, which can be none",
    labelNames: ["way"],
    registers: [registry],
    async collect() {
      this.set({ way: (await deps.engines.isolation()).name }, 1);
    },
  });
  const delay = new Histogram({ ...eventLoopDelayMetric, registers: [registry] });
  const loop = watchEventLoop((seconds) => delay.observe(seconds));
  app.addHook("onClose", async () => loop.stop());

  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "unknown";
    duration.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });

  app.get("/metrics", async (request, reply) => {
    if (!mayReadMetrics(settings, request.headers.authorization)) {
      throw settings.METRICS_TOKEN
        ? new AppError("unauthorized", "Send the METRICS_TOKEN of this deployment as a bearer token.")
        : new AppError("not_found", "Metrics are not served here: this deployment has no METRICS_TOKEN.");
    }
    return reply.type(registry.contentType).send(await registry.metrics());
  });
  return {
    registry,
    observeCall: ({ procedure, status, seconds }) => callDuration.observe({ procedure, status }, seconds),
  };
}
