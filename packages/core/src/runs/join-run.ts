import type { Prisma, Tx } from "@querybell/db";
import type { Deps } from "../deps.ts";
import { insertRun, type NewRun } from "./insert-run.ts";

export type JoinedRun =
  | { kind: "joined"; run: Prisma.QueryRunModel }
  /** A run with equal values is being cancelled. It must end before another can start. */
  | { kind: "cancelling"; run: Prisma.QueryRunModel };

/** Finds the unfinished run with these values, or inserts a new one. The query must be locked. */
export async function joinRun(deps: { tx: Tx } & Pick<Deps, "clock">, run: NewRun): Promise<JoinedRun> {
  const unfinished = await deps.tx.queryRun.findFirst({
    where: {
      queryId: run.query.id,
      parameterValuesHash: run.parameterValuesHash,
      status: { in: ["pending", "running"] },
    },
  });
  if (unfinished) return { kind: unfinished.cancelRequestedAt ? "cancelling" : "joined", run: unfinished };
  return { kind: "joined", run: await insertRun(deps, run) };
}
