import { access, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Prisma } from "@querybell/db";
import { AppError, type Caller, type JobPayload, newId, sampleShopSteps } from "@querybell/domain";
import { duckdbFileName } from "@querybell/engines";
import { deleteAutomation, insertAutomation, insertAutomationRun } from "../automations/index.ts";
import { deleteDatabase } from "../databases/index.ts";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";
import { deleteQuery } from "../queries/index.ts";
import { triggerOf } from "../runs/index.ts";
import {
  insertSampleShop,
  runSampleQueries,
  sampleAutomation,
  sampleAutomationTitles,
} from "./insert-sample-shop.ts";

type Shop = Prisma.SampleShopModel;

const maxFileBytes = 256 * 1024 ** 2;
const fileName = "shop.duckdb";

/**
 * Creates the file of the sample shop, its objects, and the runs of its queries. Every step can be repeated: after a crash
 * the job continues with the first one that is not done.
 */
export async function executeSampleShopCreation(
  deps: Deps,
  { organizationId }: JobPayload<"create_sample_shop">,
): Promise<void> {
  const shop = await deps.db.prisma.sampleShop.findUnique({ where: { organizationId } });
  // It may have been removed since.
  if (!shop || shop.state === "removing" || shop.state === "ready") return;
  const path = await filePath(deps, shop);
  try {
    await ensureFile(deps, shop, path);
    await setProgress(deps, shop, { state: "creating", stepsDone: 1 });
    if (!(await ensureObjects(deps, shop))) return await rm(path, { force: true });
    await startRuns(deps, shop);
    await setProgress(deps, shop, { state: "ready", stepsDone: sampleShopSteps });
  } catch (error) {
    await setProgress(deps, shop, { state: "failed" });
    throw error;
  }
}

/** Changes nothing if an admin has removed the shop meanwhile. */
async function setProgress(
  { db }: Pick<Deps, "db">,
  { organizationId, file }: Shop,
  data: Pick<Prisma.SampleShopUncheckedUpdateManyInput, "state" | "stepsDone">,
): Promise<void> {
  await db.prisma.sampleShop.updateMany({
    where: { organizationId, file, state: { in: ["creating", "failed"] } },
    data,
  });
}

/** An engine host writes the file in a folder that only it uses. Then the file is moved to its place, whole. */
async function ensureFile(deps: Deps, { organizationId }: Shop, path: string): Promise<void> {
  if (await exists(path)) return;
  const workspace = join(deps.deployment.dataFolder, "sample-shops", organizationId, newId(deps.clock));
  await mkdir(workspace, { recursive: true, mode: 0o700 });
  try {
    const lastDay = deps.clock.now().toISOString().slice(0, 10);
    const outcome = await deps.engines.changeTables({
      organizationId,
      workspace,
      fileName,
      maxFileBytes,
      change: { kind: "create_sample_shop", lastDay },
    });
    if (outcome.kind !== "changed") throw new Error(`The sample shop was not written: ${outcome.kind}`);
    const written = await open(join(workspace, fileName), "r");
    await written.sync();
    await written.close();
    await rename(join(workspace, fileName), path);
  } finally {
    await rm(dirname(workspace), { recursive: true, force: true });
  }
}

async function filePath(
  { db, deployment }: Pick<Deps, "db" | "deployment">,
  { organizationId, file }: Shop,
): Promise<string> {
  const { slug } = await db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
  return join(deployment.dataFolder, duckdbFileName(slug, file));
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Inserts the database, the queries, the references and the automation in one transaction. False if it was removed. */
async function ensureObjects(deps: Deps, { organizationId, file, createdBy }: Shop): Promise<boolean> {
  return deps.db.transaction(async (tx) => {
    await lockRow(tx, { table: "organizations", key: { id: organizationId }, strength: "NO KEY UPDATE" });
    const shop = await tx.sampleShop.findUnique({ where: { organizationId, file } });
    if (!shop || shop.state === "removing") return false;
    if (shop.databaseId !== null) return true;
    const owner = { organizationId, userId: createdBy };
    const { databaseId, queries } = await insertSampleShop({ ...deps, tx }, owner, { file });
    const reported = queries.filter(({ title }) => sampleAutomationTitles.includes(title)).toReversed();
    const isMember = (await tx.member.count({ where: owner })) > 0;
    // Paused: the shop gets no new orders, so that its report would be the same every morning.
    const content = sampleAutomation({
      shortIds: reported.map(({ shortId }) => shortId),
      subscribers: isMember ? [createdBy] : [],
      enabled: false,
    });
    const automation = await insertAutomation({ ...deps, tx }, owner, content);
    const queryIds = queries.map(({ id }) => id);
    await tx.sampleShop.update({
      where: { organizationId },
      data: { databaseId, queryIds, automationId: automation.id, stepsDone: 2 },
    });
    return true;
  });
}

/** Queues the runs of the queries, and the first run of the automation. */
async function startRuns(deps: Deps, { organizationId, createdBy }: Shop): Promise<void> {
  const caller = callerOf(organizationId, createdBy);
  await runSampleQueries(deps, caller);
  const { automationId } = await deps.db.prisma.sampleShop.findUniqueOrThrow({ where: { organizationId } });
  if (automationId === null || (await deps.db.prisma.automationRun.count({ where: { automationId } })) > 0)
    return;
  const triggerId = triggerOf(caller);
  await insertAutomationRun(deps, {
    automationId,
    organizationId,
    triggerId,
    scheduledFor: null,
    whilePaused: true,
  });
}

/** An admin or owner asked for the work of these jobs. */
const callerOf = (organizationId: string, userId: string): Caller => ({
  organizationId,
  userId,
  role: "admin",
  via: { kind: "session", sessionId: "" },
});

/**
 * Deletes what the sample shop has added, then its file, then its row. What is gone already is skipped, so the job can be
 * repeated.
 */
export async function executeSampleShopDeletion(
  deps: Deps,
  { organizationId, userId }: JobPayload<"delete_sample_shop">,
): Promise<void> {
  const shop = await deps.db.prisma.sampleShop.findUnique({ where: { organizationId, state: "removing" } });
  if (!shop) return;
  const caller = callerOf(organizationId, userId);
  const { automationId, queryIds, databaseId } = shop;
  if (automationId !== null) await skipMissing(deleteAutomation(deps, caller, { id: automationId }));
  for (const id of queryIds) await skipMissing(deleteQuery(deps, caller, { id }));
  if (databaseId !== null) await skipMissing(deleteDatabase(deps, caller, { id: databaseId }));
  await rm(await filePath(deps, shop), { force: true });
  await deps.db.prisma.sampleShop.deleteMany({ where: { organizationId, file: shop.file } });
}

async function skipMissing(deletion: Promise<void>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    const isMissing =
      error instanceof AppError && (error.code === "not_found" || error.code === "database_deleted");
    if (!isMissing) throw error;
  }
}
