import { recordProcess } from "@querybell/core/operations";
import { newId } from "@querybell/domain";
import type { ExampleContext } from "./example-context.ts";

/** The state of the deployment, with an api and a worker. */
export async function recordOperations({ deps, record }: ExampleContext): Promise<void> {
  const startedAt = new Date("2026-11-02T06:30:00Z");
  const disk = { freeBytes: 412_316_860_416, sizeBytes: 549_755_813_888 };
  for (const kind of ["api", "worker"] as const) {
    const id = newId(deps.clock);
    await recordProcess(deps, { id, kind, version: "0.1.0", host: "querybell-1", startedAt, disk });
  }
  const createdAt = new Date("2026-11-02T03:15:00Z");
  const backup = { createdAt, bytes: 1_288_490_188, checkedAt: new Date("2026-11-02T03:21:00Z") };
  await deps.db.prisma.backup.upsert({ where: { createdAt }, create: backup, update: backup });
  // Jobs wait by the machine's clock: on a slow machine, long enough to be a problem.
  await deps.db.pool.query(
    "SELECT FROM graphile_worker.complete_jobs(ARRAY(SELECT id FROM graphile_worker.jobs))",
  );
  await record("operations.get");
}
