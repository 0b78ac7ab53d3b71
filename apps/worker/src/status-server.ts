import { createServer, type IncomingMessage } from "node:http";
import type { Deps } from "@querybell/core";
import { checkReadiness, type Readiness, stoppingProcess } from "@querybell/runtime";
import { mayReadMetrics } from "@querybell/runtime/metrics";
import type { Registry } from "prom-client";
import type { WorkerSettings } from "./env.ts";

interface StatusServerOptions {
  deps: Deps;
  registry: Registry;
  settings: Pick<WorkerSettings, "METRICS_TOKEN" | "NODE_ENV" | "WORKER_HOST" | "WORKER_PORT">;
}

/** Serves `/healthz`, `/readyz` and `/metrics` of the worker. */
export async function startStatusServer({ deps, registry, settings }: StatusServerOptions) {
  let isStopping = false;
  const checkStatus = (): Promise<Readiness> | Readiness =>
    isStopping ? stoppingProcess : checkReadiness(deps);
  const answer = async ({ url, headers }: IncomingMessage): Promise<[status: number, body: string]> => {
    if (url === "/healthz") return [200, '{"status":"ok"}'];
    if (url === "/readyz") {
      const readiness = await checkStatus();
      return [readiness.ready ? 200 : 503, JSON.stringify(readiness)];
    }
    if (url === "/metrics" && mayReadMetrics(settings, headers.authorization)) {
      return [200, await registry.metrics()];
    }
    return [404, '{"status":"not found"}'];
  };
  const server = createServer((request, response) => {
    answer(request).then(
      ([status, body]) => response.writeHead(status).end(body),
      () => response.writeHead(503).end('{"status":"unavailable"}'),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(settings.WORKER_PORT, settings.WORKER_HOST, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    url: `http://${settings.WORKER_HOST}:${port}`,
    /** From now on the worker is not ready. */
    announceStop: () => {
      isStopping = true;
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
