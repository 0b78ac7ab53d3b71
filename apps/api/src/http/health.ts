import type { Deps } from "@querybell/core";
import { AppError } from "@querybell/domain";
import { checkReadiness, stoppingProcess } from "@querybell/runtime";
import type { FastifyInstance } from "fastify";
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
