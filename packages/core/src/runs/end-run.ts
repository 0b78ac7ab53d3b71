import { createHash } from "node:crypto";
import { Prisma, type Tx } from "@querybell/db";
import type { RunFailure } from "@querybell/domain";
import type { CompletedRun } from "@querybell/engines";
import type { Deps } from "../deps.ts";
import type { RunLease } from "../leases/run-lease.ts";
import { lockRow } from "../lock-row.ts";
import type { ClaimedQueryRun } from "./claim-query-run.ts";

/** Larger writes would block the event loop, because Prisma encodes bytes as text before it sends them. */
const maxWrittenBytes = 4 * 1024 ** 2;

/** Ends the run. False when the lease is lost: only the newest lease may write. */
async function endRun(
  tx: Tx,
  { id, leaseNumber }: RunLease,
  data: Prisma.QueryRunUpdateManyMutationInput,
): Promise<boolean> {
  const { count } = await tx.queryRun.updateMany({
    where: { id, leaseNumber, status: "running" },
    data: { ...data, statement: Prisma.DbNull },
  });
  return count === 1;
}

export async function failRun({ db, clock }: Deps, lease: RunLease, failure: RunFailure): Promise<boolean> {
  return db.transaction((tx) =>
    endRun(tx, lease, {
      status: "failed",
      completedAt: clock.now(),
      failureCode: failure.code,
      failureReason: failure.message,
      failureLine: failure.position?.line ?? null,
      failureColumn: failure.position?.column ?? null,
    }),
  );
}

/** Ends the run and stores its result in one transaction. The previous result for equal values is deleted. */
export async function completeRun(
  { db, clock }: Deps,
  run: ClaimedQueryRun,
  outcome: CompletedRun,
): Promise<boolean> {
  const { organizationId, queryId, id: runId } = run;
  const { rowCount, rowsRead, cutBy, jsonBytes, gzippedJson } = outcome;
  const completedAt = clock.now();
  return db.transaction(async (tx) => {
    // Every transaction locks the query's row before the run's, which prevents deadlocks.
    await lockRow(tx, { table: "queries", key: { id: queryId }, strength: "KEY SHARE" });
    const hasLease = await endRun(tx, run, {
      status: "completed",
      completedAt,
      progressRows: rowCount,
      rowsRead,
      rowsWritten: rowCount,
      cutBy,
    });
    if (!hasLease) return false;
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

/** Appends the bytes of a result after the first `maxWrittenBytes`, which are stored already. */
async function appendBytes(tx: Tx, runId: string, gzippedJson: Uint8Array): Promise<void> {
  for (let from = maxWrittenBytes; from < gzippedJson.length; from += maxWrittenBytes) {
    const piece = gzippedJson.slice(from, from + maxWrittenBytes);
    await tx.$executeRaw`
      UPDATE query_results SET gzipped_json = gzipped_json || ${piece} WHERE run_id = ${runId}::uuid`;
  }
}
