import type { Deps } from "@querybell/core";
import { AppError } from "@querybell/domain";
import { checkReadiness, stoppingProcess } from "@querybell/runtime";
import { createProcessMetrics, mayReadMetrics } from "@querybell/runtime/metrics";
import type { FastifyInstance } from "fastify";
import { Histogram, type Registry } from "prom-client";
import type { ApiSettings } from "../env.ts";
import { sendProblem } from "./problem.ts";

/** `/healthz`: the process runs. `/readyz`: it is not stopping, and can use the database. */
export function addHealth(app: FastifyInstance, deps: Deps, stopping: AbortSignal): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async (_request, reply) => {
    const readiness = stopping.aborted ? stoppingProcess : await checkReadiness(deps);
    // Sent and not thrown: a probe that finds it not ready is no error of the server.
    if (!readiness.ready) return sendProblem(reply, new AppError("unavailable", readiness.reason));
    return { status: "ready" };
  });
}

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
  const { registry, stop } = createProcessMetrics(deps);
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
  app.addHook("onClose", async () => stop());
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
