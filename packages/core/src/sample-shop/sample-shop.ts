import { addJob, type Prisma, type Tx } from "@querybell/db";
import { AppError, type Caller, newId, type SampleShop } from "@querybell/domain";
import { recordAudit } from "../audit.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";

/** The sample shop of the caller's organization; null if it has none. */
export async function findSampleShop(
  { db }: Pick<Deps, "db">,
  { organizationId }: Caller,
): Promise<SampleShop | null> {
  const row = await db.prisma.sampleShop.findUnique({ where: { organizationId } });
  return row && toSampleShop(row);
}

/**
 * Starts creating the sample shop. If it is being created or ready, nothing changes, so that two admins at once create one.
 * If creating it failed, it continues.
 */
export async function createSampleShop(
  { db, clock }: Pick<Deps, "db" | "clock">,
  caller: Caller,
): Promise<SampleShop> {
  const { organizationId, userId } = caller;
  return db.transaction(async (tx) => {
    const found = await lockSampleShop(tx, caller);
    if (found?.state === "removing") throw beingRemoved();
    if (found && found.state !== "failed") return toSampleShop(found);
    const row = found
      ? await tx.sampleShop.update({ where: { organizationId }, data: { state: "creating" } })
      : await tx.sampleShop.create({
          data: {
            organizationId,
            state: "creating",
            file: `sample-shop-${newId(clock).slice(0, 23)}.duckdb`,
            createdBy: userId,
            createdAt: clock.now(),
          },
        });
    if (!found) {
      await recordAudit({ tx, clock }, caller, { action: "sample_shop.created", targetId: organizationId });
    }
    await addJob(tx, ["create_sample_shop", { organizationId }], { queue: queueOf(organizationId) });
    return toSampleShop(row);
  });
}

/**
 * Starts deleting the sample shop with its queries, references and automation. A job does it, so that it is finished even
 * if this process ends.
 */
export async function deleteSampleShop(
  { db, clock }: Pick<Deps, "db" | "clock">,
  caller: Caller,
): Promise<void> {
  const { organizationId, userId } = caller;
  await db.transaction(async (tx) => {
    const found = await lockSampleShop(tx, caller);
    if (!found) throw new AppError("not_found", "This organization has no sample shop.");
    if (found.state === "removing") return;
    await tx.sampleShop.update({ where: { organizationId }, data: { state: "removing" } });
    await recordAudit({ tx, clock }, caller, { action: "sample_shop.deleted", targetId: organizationId });
    await addJob(tx, ["delete_sample_shop", { organizationId, userId }], { queue: queueOf(organizationId) });
  });
}

const beingRemoved = () =>
  new AppError("conflict", "The sample shop is being removed. Wait a moment, then create it again.");

/** The jobs of one shop run one after the other: its file is never written and deleted at once. */
const queueOf = (organizationId: string): string => `sample_shop:${organizationId}`;

/** Locks the organization too, because there may be no row yet. */
async function lockSampleShop(tx: Tx, { organizationId }: Pick<Caller, "organizationId">) {
  await lockRow(tx, { table: "organizations", key: { id: organizationId }, strength: "NO KEY UPDATE" });
  return tx.sampleShop.findUnique({ where: { organizationId } });
}

const toSampleShop = ({ state, stepsDone, createdAt }: Prisma.SampleShopModel): SampleShop => ({
  state,
  stepsDone,
  createdAt: createdAt.toISOString(),
});
