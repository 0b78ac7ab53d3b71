import type { Deps } from "@querybell/core";
import { AppError } from "@querybell/domain";
import { checkReadiness } from "@querybell/runtime";
import type { FastifyInstance } from "fastify";

/** `/healthz`: the process runs. `/readyz`: the database is reachable and has all migrations. */
export function addHealth(app: FastifyInstance, deps: Deps): void {
  app.get("/healthz", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    const readiness = await checkReadiness(deps);
    if (!readiness.ready) throw new AppError("unavailable", readiness.reason);
    return { status: "ready" };
  });
}
