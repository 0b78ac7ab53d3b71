import { Prisma, type Tx } from "@querybell/db";
import type { Caller, RunDetail, RunId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { cancelledFailure } from "./end-run.ts";
import { getRun, getRunRow } from "./get-run.ts";

/**
 * Requests the cancellation of a run. A pending run ends at once. A running one ends when its engine has confirmed the
 * cancellation. An ended run is not changed.
 */
export async function cancelRun(deps: Deps, caller: Caller, { id }: RunId): Promise<RunDetail> {
  await getRunRow(deps, caller, id);
  await deps.db.transaction((tx) => requestCancel({ ...deps, tx }, [id]));
  return getRun(deps, caller, { id });
}

/** Cancels the unfinished runs of a query whose statement is changed or deleted. */
export async function requestCancelOfUnfinished(
  deps: { tx: Tx } & Pick<Deps, "clock">,
  queryId: string,
): Promise<void> {
  const runs = await deps.tx.queryRun.findMany({
    where: { queryId, status: { in: ["pending", "running"] } },
    select: { id: true },
  });
  await requestCancel(
    deps,
    runs.map(({ id }) => id),
  );
}

export async function requestCancel(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  ids: string[],
): Promise<void> {
  const now = clock.now();
  await tx.queryRun.updateMany({
    where: { id: { in: ids }, status: "pending" },
    data: {
      status: "failed",
      cancelRequestedAt: now,
      completedAt: now,
      failureCode: cancelledFailure.code,
      failureReason: cancelledFailure.message,
      statement: Prisma.DbNull,
    },
  });
  await tx.queryRun.updateMany({
    where: { id: { in: ids }, status: "running", cancelRequestedAt: null },
    data: { cancelRequestedAt: now },
  });
  for (const id of ids) await tx.$queryRaw`SELECT pg_notify('querybell_run_cancelled', ${id})::text`;
}
