import { createHash } from "node:crypto";
import { Prisma, type Tx } from "@querybell/db";
import type { RunFailure } from "@querybell/domain";
import type { CompletedRun } from "@querybell/engines";
import type { Deps } from "../deps.ts";
import { releaseLease } from "../leases/release-lease.ts";
import { appendBytes, maxWrittenBytes } from "../results/append-bytes.ts";
import type { Lease } from "./lease.ts";

type Held = Pick<Lease, "runId" | "leaseNumber">;

/** True when the run was still ours to end: the newest lease alone may write. */
async function end(tx: Tx, { runId, leaseNumber }: Held, data: Prisma.QueryRunUpdateManyMutationInput) {
  const { count } = await tx.queryRun.updateMany({
    where: { id: runId, leaseNumber, status: "running" },
    data: { ...data, statement: Prisma.DbNull },
  });
  return count === 1;
}

export async function failRun({ db, clock }: Deps, lease: Held, failure: RunFailure): Promise<boolean> {
  return db.transaction((tx) =>
    end(tx, lease, {
      status: "failed",
      completedAt: clock.now(),
      failureCode: failure.code,
      failureReason: failure.message,
      failureLine: failure.position?.line ?? null,
      failureColumn: failure.position?.column ?? null,
    }),
  );
}

/** Ends the run and stores its result in one transaction; the result before it, for equal values, goes. */
export async function completeRun(
  { db, clock }: Deps,
  lease: Lease,
  outcome: CompletedRun,
): Promise<boolean> {
  const { organizationId, queryId, runId } = lease;
  const { rowCount, rowsRead, cutBy, jsonBytes, gzippedJson } = outcome;
  const completedAt = clock.now();
  return db.transaction(async (tx) => {
    // The query's row before the run's, as in every change of a query: two transactions never wait for each other.
    await tx.$queryRaw`SELECT 1 FROM queries WHERE id = ${queryId}::uuid FOR KEY SHARE`;
    const ours = await end(tx, lease, {
      status: "completed",
      completedAt,
      progressRows: rowCount,
      rowsRead,
      rowsWritten: rowCount,
      cutBy,
    });
    if (!ours) return false;
    const { parameterValuesHash } = await tx.queryRun.findUniqueOrThrow({ where: { id: runId } });
    const { resultLifetimeSeconds } = await tx.organization.findUniqueOrThrow({
      where: { id: organizationId },
    });
    await tx.queryResult.deleteMany({ where: { queryId, parameterValuesHash } });
    await tx.queryResult.create({
      data: {
        runId,
        organizationId,
        queryId,
        parameterValuesHash,
        gzippedJson: new Uint8Array(gzippedJson.subarray(0, maxWrittenBytes)),
        jsonBytes,
        rowCount,
        cutBy,
        etag: createHash("sha256").update(gzippedJson).digest("base64url"),
        completedAt,
        expiresAt: new Date(completedAt.getTime() + resultLifetimeSeconds * 1000),
      },
      select: { runId: true },
    });
    await appendBytes(tx, runId, gzippedJson);
    return true;
  });
}

/** Releases a run that this worker cannot finish, for another to begin it at once. */
export const giveRunBack = (deps: Pick<Deps, "db">, { runId: id, leaseNumber }: Held): Promise<void> =>
  releaseLease(deps, "query_runs", { id, leaseNumber });
