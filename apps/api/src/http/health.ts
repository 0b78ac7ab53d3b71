import type { Deps } from "@querybell/core";
import { AppError } from "@querybell/domain";
import { checkReadiness } from "@querybell/runtime";
import type { FastifyInstance } from "fastify";

/** `/healthz`: the process runs. `/readyz`: it is not stopping, and can use the database. */
export function addHealth(app: FastifyInstance, deps: Deps, stopping: AbortSignal): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    if (stopping.aborted) throw new AppError("unavailable", "This process is stopping.");
    const readiness = await checkReadiness(deps);
    if (!readiness.ready) throw new AppError("unavailable", readiness.reason);
    return { status: "ready" };
  });
}
