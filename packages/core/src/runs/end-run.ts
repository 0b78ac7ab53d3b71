import { inTransaction, onPool, Prisma, type RunStatement, type Tx } from "@querybell/db";
import type { RunFailure } from "@querybell/domain";
import type { CompletedRun } from "@querybell/engines";
import type { Deps } from "../deps.ts";
import type { RunLease } from "../leases/run-lease.ts";
import type { ClaimedQueryRun } from "./claim-query-run.ts";

/** Larger writes would block the event loop, because Prisma encodes bytes as text before it sends them. */
const maxWrittenBytes = 4 * 1024 ** 2;

/** False when the lease is lost: only the newest lease may write. */
export async function failRun(
  { db, clock }: Deps,
  { id, leaseNumber }: RunLease,
  failure: RunFailure,
): Promise<boolean> {
  const { count } = await db.prisma.queryRun.updateMany({
    where: { id, leaseNumber, status: "running" },
    data: {
      status: "failed",
      completedAt: clock.now(),
      failureCode: failure.code,
      failureReason: failure.message,
      failureLine: failure.position?.line ?? null,
      failureColumn: failure.position?.column ?? null,
      statement: Prisma.DbNull,
    },
  });
  return count === 1;
}

/**
 * Ends the run and stores its result in one transaction. The previous result for equal values is deleted. False when
 * the lease is lost.
 */
export async function completeRun(
  { db, clock }: Pick<Deps, "db" | "clock">,
  run: ClaimedQueryRun,
  outcome: CompletedRun,
): Promise<boolean> {
  const completedAt = clock.now();
  const { gzippedJson } = outcome;
  const isCompleted =
    gzippedJson.length <= maxWrittenBytes
      ? await callComplete(onPool(db), run, { ...outcome, completedAt })
      : await db.transaction(async (tx) => {
          const hasLease = await callComplete(inTransaction(tx), run, { ...outcome, completedAt });
          if (hasLease) await appendBytes(tx, run.id, gzippedJson);
          return hasLease;
        });
  if (isCompleted) db.notices.publish("querybell_run_changed", [run.id]);
  return isCompleted;
}

async function callComplete(
  runStatement: RunStatement,
  { id, leaseNumber, queryId }: ClaimedQueryRun,
  {
    rowCount,
    rowsRead,
    cutBy,
    jsonBytes,
    gzippedJson,
    etag,
    completedAt,
  }: CompletedRun & { completedAt: Date },
): Promise<boolean> {
  const [row] = await runStatement<{ isCompleted: boolean }>({
    name: "complete_query_run",
    text: `
      SELECT complete_query_run($1::uuid, $2::int, $3::uuid, $4::timestamptz, $5::int, $6::bigint, $7, $8::bytea,
        $9::int, $10) AS "isCompleted"`,
    values: [
      id,
      leaseNumber,
      queryId,
      completedAt,
      rowCount,
      rowsRead,
      cutBy,
      gzippedJson.subarray(0, maxWrittenBytes),
      jsonBytes,
      etag,
    ],
  });
  return row?.isCompleted ?? false;
}

/** Appends the bytes of a result after the first `maxWrittenBytes`, which are stored already. */
async function appendBytes(tx: Tx, runId: string, gzippedJson: Uint8Array): Promise<void> {
  for (let from = maxWrittenBytes; from < gzippedJson.length; from += maxWrittenBytes) {
    const piece = gzippedJson.slice(from, from + maxWrittenBytes);
    await tx.$executeRaw`
      UPDATE query_results SET gzipped_json = gzipped_json || ${piece} WHERE run_id = ${runId}::uuid`;
  }
}
