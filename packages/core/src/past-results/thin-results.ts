import type { Prisma, Tx } from "@querybell/db";
import type { Deps } from "../deps.ts";
import { writingTimeoutMs } from "../runs/end-run.ts";
import { restoreJson } from "./chain-bytes.ts";
import { dayMs, readChain, sqlOf } from "./chain-rows.ts";
import { ChainWriter } from "./chain-writer.ts";

/** All results of these days are kept; of each day before, the last one. */
const fullDays = 7;
/** How much of the quota is used after results were deleted because of it. */
const quotaTarget = 0.9;

interface ThinnedResults {
  /** Chains that were thinned. */
  thinned: number;
  /** Chains that were deleted, because they were too old or the quota was exceeded. */
  deleted: number;
}

/** Deletes and thins what an organization no longer keeps, the oldest first. Can be repeated after a crash. */
export async function thinResults(deps: Deps): Promise<ThinnedResults> {
  let deleted = await deleteOld(deps);
  let thinned = 0;
  const before = new Date(deps.clock.now().getTime() - fullDays * dayMs);
  for (;;) {
    const ids = await findUnthinned(deps, before);
    if (ids.length === 0) break;
    for (const id of ids) if (await tryToThin(deps, id)) thinned++;
  }
  for (const organizationId of await findOverQuota(deps)) {
    const made = await makeRoom(deps, organizationId);
    thinned += made.thinned;
    deleted += made.deleted;
  }
  return { thinned, deleted };
}

/** Those that are older than their organization says. Chains have few days, so this is at most some days late. */
async function deleteOld({ db, clock }: Pick<Deps, "db" | "clock">): Promise<number> {
  const { count } = await db.prisma.pastResultChain.deleteMany({
    where: { expiresAt: { lte: clock.now() } },
  });
  return count;
}

/** Called when an organization has changed for how long it keeps past results, in the transaction of the change. */
export async function changeHistoryDays(tx: Tx, organizationId: string, days: number): Promise<void> {
  await tx.$executeRaw`
    UPDATE past_result_chains SET expires_at = last_at + make_interval(days => ${days})
    WHERE organization_id = ${organizationId}::uuid`;
  // Those that wait for a chain.
  if (days === 0) await tx.pastResult.deleteMany({ where: { organizationId, chainId: null } });
}

async function findUnthinned({ db }: Pick<Deps, "db">, before: Date): Promise<string[]> {
  const rows = await db.prisma.pastResultChain.findMany({
    where: { isThinned: false, lastAt: { lt: before } },
    orderBy: { lastAt: "asc" },
    select: { id: true },
    take: 100,
  });
  return rows.map(({ id }) => id);
}

/** A chain that cannot be read stays as it is until it expires, so that it does not stop the others. */
async function tryToThin(deps: Deps, id: string): Promise<boolean> {
  try {
    return await thinChain(deps, id);
  } catch {
    await deps.db.prisma.pastResultChain.updateMany({ where: { id }, data: { isThinned: true } });
    return false;
  }
}

/** Leaves the last result of each day, in UTC. False if another process has done it. */
async function thinChain({ db, clock }: Pick<Deps, "db" | "clock">, id: string): Promise<boolean> {
  return db.transaction(
    async (tx) => {
      const chain = await lockUnthinned(tx, id);
      if (!chain) return false;
      const rows = await readChain(sqlOf(tx), id);
      const nextAt = await findNextTime(tx, chain);
      const lasting = new Set(
        rows
          .filter(({ completedAt }, index) => {
            const next = rows[index + 1]?.completedAt ?? nextAt;
            return !next || toDay(next) !== toDay(completedAt);
          })
          .map(({ runId }) => runId),
      );
      if (lasting.size === rows.length) {
        await tx.pastResultChain.update({ where: { id }, data: { isThinned: true } });
        return true;
      }
      const series = { organizationId: chain.organizationId, queryId: chain.queryId };
      const { parameterValuesHash } = chain;
      const writer = await ChainWriter.open(
        { tx, clock },
        { series: { ...series, parameterValuesHash }, isThinned: true, before: chain.firstAt },
      );
      let position = 0;
      for await (const json of restoreJson(rows)) {
        const row = rows[position++];
        if (row && lasting.has(row.runId)) await writer.add({ ...row, json });
      }
      // What lasts is in another chain by now.
      await tx.pastResultChain.delete({ where: { id } });
      return true;
    },
    { timeoutMs: writingTimeoutMs },
  );
}

async function lockUnthinned(tx: Tx, id: string): Promise<Prisma.PastResultChainModel | undefined> {
  await tx.$executeRaw`SELECT FROM past_result_chains WHERE id = ${id}::uuid FOR UPDATE`;
  return (await tx.pastResultChain.findFirst({ where: { id, isThinned: false } })) ?? undefined;
}

/** The time of the first result after the chain. */
async function findNextTime(tx: Tx, chain: Prisma.PastResultChainModel): Promise<Date | undefined> {
  const { queryId, parameterValuesHash, lastAt } = chain;
  const next = await tx.pastResult.findFirst({
    where: { queryId, parameterValuesHash, completedAt: { gt: lastAt } },
    orderBy: { completedAt: "asc" },
    select: { completedAt: true },
  });
  return next?.completedAt;
}

const toDay = (at: Date): string => at.toISOString().slice(0, 10);

/** Those whose past results take more than the quota. */
async function findOverQuota({ db, deployment }: Pick<Deps, "db" | "deployment">): Promise<string[]> {
  const rows = await db.prisma.$queryRaw<{ id: string }[]>`
    SELECT organization_id AS id FROM past_result_chains GROUP BY organization_id
    HAVING sum(byte_count) > ${deployment.pastResultsQuotaBytes}`;
  return rows.map(({ id }) => id);
}

/** Thins the oldest chains, also those of the last week, and then deletes the oldest. */
async function makeRoom(deps: Deps, organizationId: string): Promise<ThinnedResults> {
  const { db, deployment } = deps;
  const made = { thinned: 0, deleted: 0 };
  const findExcess = async () =>
    (await usedBytes(deps, organizationId)) - quotaTarget * deployment.pastResultsQuotaBytes;
  for (const { id, isThinned } of await listOldest(deps, organizationId)) {
    if ((await findExcess()) <= 0) return made;
    if (!isThinned && (await tryToThin(deps, id))) made.thinned++;
  }
  let excess = await findExcess();
  for (const { id, byteCount } of await listOldest(deps, organizationId)) {
    if (excess <= 0) return made;
    const { count } = await db.prisma.pastResultChain.deleteMany({ where: { id } });
    excess -= Number(byteCount);
    made.deleted += count;
  }
  return made;
}

const listOldest = ({ db }: Pick<Deps, "db">, organizationId: string) =>
  db.prisma.pastResultChain.findMany({
    where: { organizationId },
    orderBy: [{ lastAt: "asc" }, { id: "asc" }],
    select: { id: true, isThinned: true, byteCount: true },
  });

/** How many bytes the past results of an organization take. */
async function usedBytes({ db }: Pick<Deps, "db">, organizationId: string): Promise<number> {
  const { _sum } = await db.prisma.pastResultChain.aggregate({
    where: { organizationId },
    _sum: { byteCount: true },
  });
  return Number(_sum.byteCount ?? 0);
}
