import { inTransaction, onPool, Prisma, type RunStatement, type Tx } from "@querybell/db";
import type { RunFailure } from "@querybell/domain";
import type { CompletedRun } from "@querybell/engine-hosts";
import type { Deps } from "../deps.ts";
import type { RunLease } from "../leases.ts";
import type { ClaimedQueryRun } from "./claim-query-run.ts";

/** Larger writes would block the event loop, because Prisma encodes bytes as text before it sends them. */
const maxWrittenBytes = 4 * 1024 ** 2;
/** Postgres writes the whole value again for each piece, so the largest results take long on a slow disk. */
export const writingTimeoutMs = 180_000;

export const cancelledFailure: RunFailure = { code: "cancelled", message: "The run was cancelled." };

/** False when the lease is lost: only the newest lease may write. */
export const failRun = ({ db, clock }: Deps, lease: RunLease, failure: RunFailure): Promise<boolean> =>
  failRunIn(db.prisma, lease, { failure, completedAt: clock.now() });

/** The same in the transaction of the caller. */
export async function failRunIn(
  tx: Pick<Tx, "queryRun">,
  { id, leaseNumber }: RunLease,
  { failure, completedAt }: { failure: RunFailure; completedAt: Date },
): Promise<boolean> {
  const { count } = await tx.queryRun.updateMany({
    where: { id, leaseNumber, status: "running" },
    data: {
      status: "failed",
      completedAt,
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
  const [first = [], ...others] = groupPieces(outcome.gzippedPieces);
  const isCompleted =
    others.length === 0
      ? await callComplete(onPool(db), run, { ...outcome, completedAt, bytes: Buffer.concat(first) })
      : await db.transaction((tx) => completeRunIn(tx, run, { ...outcome, completedAt }), {
          timeoutMs: writingTimeoutMs,
        });
  if (isCompleted) db.notices.publish("querybell_run_changed", [run.id]);
  return isCompleted;
}

/** The same in the transaction of the caller, who notifies the watchers. */
export async function completeRunIn(
  tx: Tx,
  run: ClaimedQueryRun,
  outcome: StoredOutcome & { completedAt: Date },
): Promise<boolean> {
  const [first = [], ...others] = groupPieces(outcome.gzippedPieces);
  const hasLease = await callComplete(inTransaction(tx), run, { ...outcome, bytes: Buffer.concat(first) });
  if (!hasLease || others.length === 0) return hasLease;
  for (const group of others) await appendBytes(tx, run.id, Buffer.concat(group));
  return true;
}

/** What is stored of a completed run. */
type StoredOutcome = Omit<CompletedRun, "fields">;

interface Completion extends StoredOutcome {
  completedAt: Date;
  /** The beginning of the compressed result. */
  bytes: Uint8Array;
}

async function callComplete(
  runStatement: RunStatement,
  { id, leaseNumber, queryId }: ClaimedQueryRun,
  { rowCount, rowsRead, cutBy, jsonBytes, bytes, etag, completedAt }: Completion,
): Promise<boolean> {
  const [row] = await runStatement<{ isCompleted: boolean }>({
    name: "complete_query_run",
    text: `
      SELECT complete_query_run($1::uuid, $2::int, $3::uuid, $4::timestamptz, $5::int, $6::bigint, $7, $8::bytea,
        $9::int, $10) AS "isCompleted"`,
    values: [id, leaseNumber, queryId, completedAt, rowCount, rowsRead, cutBy, bytes, jsonBytes, etag],
  });
  return row?.isCompleted ?? false;
}

async function appendBytes(tx: Tx, runId: string, bytes: Buffer<ArrayBuffer>): Promise<void> {
  await tx.$executeRaw`
    UPDATE query_results SET gzipped_json = gzipped_json || ${bytes} WHERE run_id = ${runId}::uuid`;
}

/** Groups the pieces of a result so that each group can be written at once. */
function groupPieces(pieces: readonly Uint8Array[]): Uint8Array[][] {
  const groups: Uint8Array[][] = [];
  let groupBytes = maxWrittenBytes;
  for (const piece of pieces) {
    if (groupBytes + piece.length > maxWrittenBytes) {
      groups.push([]);
      groupBytes = 0;
    }
    groups.at(-1)?.push(piece);
    groupBytes += piece.length;
  }
  return groups;
}
