import { Prisma, type Tx } from "@querybell/db";
import type { Caller, RunDetail, RunFailure, RunId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { getRun, getRunRow } from "./get-run.ts";

/**
 * Asks for the end of a run. One that has not begun ends here; one that runs ends as soon as its engine has
 * confirmed it. A run that has ended stays as it is.
 */
export async function cancelRun(deps: Deps, caller: Caller, { id }: RunId): Promise<RunDetail> {
  await getRunRow(deps, caller, id);
  await deps.db.transaction((tx) => requestCancel({ ...deps, tx }, [id]));
  return getRun(deps, caller, { id });
}

export const cancelledFailure: RunFailure = { code: "cancelled", message: "The run was cancelled." };

/** For a change of the query that makes what its runs would find worthless. */
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
