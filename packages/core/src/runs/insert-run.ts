import type { Prisma, Tx } from "@querybell/db";
import { type Caller, newId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import type { PreparedRun } from "./prepare-run.ts";

export interface NewRun extends PreparedRun {
  query: Prisma.QueryModel;
  triggerId: string;
}

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

/** Inserts a pending run. Workers claim the row; a database trigger wakes them. */
export async function insertRun(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { query, triggerId, compiled, ...values }: NewRun,
): Promise<Prisma.QueryRunModel> {
  const id = newId(clock);
  const { renderedSql, ...statement } = compiled;
  return tx.queryRun.create({
    data: {
      id,
      organizationId: query.organizationId,
      queryId: query.id,
      queryVersion: query.version,
      triggerId,
      ...values,
      renderedSql,
      statement,
      createdAt: clock.now(),
    },
  });
}

/** The `triggerId` of a run that a person or a key starts. */
export const triggerOf = ({ userId, via }: Caller): string =>
  via.kind === "key" ? `key:${via.keyId}` : `user:${userId}`;
