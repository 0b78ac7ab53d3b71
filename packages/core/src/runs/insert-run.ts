import type { Prisma, Tx } from "@querybell/db";
import { type Caller, newId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import type { PreparedRun } from "./prepare-run.ts";

export interface NewRun extends PreparedRun {
  query: Prisma.QueryModel;
  triggerId: string;
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
