import { addJob, type Prisma, type Tx } from "@querybell/db";
import { type Caller, newId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import type { PreparedRun } from "./prepare-run.ts";

export interface NewRun extends PreparedRun {
  query: Prisma.QueryModel;
  triggerId: string;
}

/** A pending run and its job: a worker that hears of it finds it. */
export async function insertRun(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { query, triggerId, compiled, ...values }: NewRun,
): Promise<Prisma.QueryRunModel> {
  const id = newId(clock);
  const { renderedSql, ...statement } = compiled;
  const row = await tx.queryRun.create({
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
  await queueRun(tx, id);
  return row;
}

export const queueRun = (tx: Tx, runId: string): Promise<void> =>
  addJob(tx, ["execute_run", { runId }], { key: runJobKey(runId) });

export const runJobKey = (runId: string): string => `execute_run:${runId}`;

/** What started a run, when a person or their key did. */
export const triggerOf = ({ userId, via }: Caller): string =>
  via.kind === "key" ? `key:${via.keyId}` : `user:${userId}`;
