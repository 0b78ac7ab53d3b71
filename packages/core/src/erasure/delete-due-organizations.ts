import { rm } from "node:fs/promises";
import { join } from "node:path";
import { addJob } from "@querybell/db";
import type { JobPayload } from "@querybell/domain";
import { duckdbFileName } from "@querybell/engines";
import type { Deps } from "../deps.ts";
import { lockRow } from "../lock-row.ts";

type Files = JobPayload<"delete_files_of_organization">;

/** A process that still wrote a file when its organization was deleted has ended after so long, or was killed. */
const lastWriteMs = 60 * 60 * 1000;

/**
 * Deletes the organizations whose waiting time is over. Every step can be repeated: after a crash, the next call
 * continues. Returns how many are deleted.
 */
export async function deleteDueOrganizations(deps: Deps): Promise<number> {
  const due = await deps.db.prisma.organizationDeletion.findMany({
    where: { dueAt: { lte: deps.clock.now() } },
    select: { organizationId: true },
    orderBy: { dueAt: "asc" },
    take: 100,
  });
  let deleted = 0;
  for (const { organizationId } of due) {
    if (!(await startDeletion(deps, organizationId))) continue;
    await endWriters(deps, organizationId);
    const files = await findFiles(deps, organizationId);
    await deleteFiles(deps, files);
    for (const statement of batches) await deleteInBatches(deps, statement, organizationId);
    const runAt = new Date(deps.clock.now().getTime() + lastWriteMs);
    await deps.db.transaction(async (tx) => {
      // What is left are few rows in each table, which go with it.
      const { count } = await tx.organization.deleteMany({ where: { id: organizationId } });
      // Whoever was killed meanwhile could not delete what it had written.
      if (count > 0) await addJob(tx, ["delete_files_of_organization", files], { runAt });
    });
    deleted++;
  }
  return deleted;
}

/**
 * From here on nobody is a member, so that no check lets anybody in, and no schedule starts a run. False if the deletion
 * was cancelled meanwhile.
 */
async function startDeletion(
  { db, clock }: Pick<Deps, "db" | "clock">,
  organizationId: string,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    await lockRow(tx, { table: "organizations", key: { id: organizationId }, strength: "NO KEY UPDATE" });
    const startedAt = clock.now();
    const { count } = await tx.organizationDeletion.updateMany({
      where: { organizationId, dueAt: { lte: startedAt } },
      data: { startedAt },
    });
    if (count === 0) return false;
    await tx.automation.updateMany({
      where: { organizationId, nextRunAt: { not: null } },
      data: { nextRunAt: null },
    });
    await tx.dashboard.updateMany({
      where: { organizationId, nextRefreshAt: { not: null } },
      data: { nextRefreshAt: null },
    });
    await tx.member.deleteMany({ where: { organizationId } });
    return true;
  });
}

/**
 * Whoever still writes a file of the organization (an import, an export, a sample shop) cannot commit any more, and
 * deletes the file itself. No row names a file that is about to be deleted, so a backup does not miss it.
 */
const endWriters = ({ db }: Pick<Deps, "db">, organizationId: string): Promise<void> =>
  db.transaction(async (tx) => {
    const where = { organizationId };
    await tx.uploadStore.deleteMany({ where });
    await tx.upload.deleteMany({ where });
    await tx.analyticalDatabaseConfig.updateMany({
      where: { ...where, holdsUploads: true },
      data: { uploadFileId: null },
    });
    await tx.organizationExport.deleteMany({ where });
    await tx.sampleShop.updateMany({ where, data: { state: "removing" } });
  });

async function findFiles({ db }: Pick<Deps, "db">, organizationId: string): Promise<Files> {
  const shop = await db.prisma.sampleShop.findUnique({
    where: { organizationId },
    select: { file: true, organization: { select: { slug: true } } },
  });
  return { organizationId, sampleShop: shop && duckdbFileName(shop.organization.slug, shop.file) };
}

/** Deletes the files of an organization that is deleted. What is gone already is skipped. */
export async function deleteFiles(
  { deployment }: Pick<Deps, "deployment">,
  { organizationId, sampleShop }: Files,
): Promise<void> {
  for (const folder of ["uploads", "exports", "sample-shops"]) {
    // It is tried again where somebody writes into the folder meanwhile.
    const path = join(deployment.dataFolder, folder, organizationId);
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  }
  if (sampleShop !== null) await rm(join(deployment.dataFolder, sampleShop), { force: true });
}

const ofOrganization = (table: string, limit: number): string =>
  `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE organization_id = $1 LIMIT ${limit})`;

const versionsOf = (table: string): string => `
  DELETE FROM row_versions WHERE id IN (
    SELECT v.id FROM ${table} r JOIN row_versions v ON v.row_id = r.id WHERE r.organization_id = $1 LIMIT 500)`;

/** The tables that grow. Each row takes with it what belongs to it: a run its steps and results, an event its deliveries. */
const batches = [
  ofOrganization("automation_runs", 20),
  ofOrganization("query_runs", 100),
  ofOrganization("webhook_events", 200),
  ofOrganization("dashboards", 50),
  versionsOf("queries"),
  versionsOf("query_references"),
  ofOrganization("query_references", 200),
  ofOrganization("queries", 50),
  ofOrganization("audit_entries", 500),
  // Without an index: it is read once.
  "DELETE FROM notifications WHERE organization_id = $1",
];

async function deleteInBatches(
  { db }: Pick<Deps, "db">,
  statement: string,
  organizationId: string,
): Promise<void> {
  for (;;) {
    const { rowCount } = await db.pool.query(statement, [organizationId]);
    if (!rowCount) return;
  }
}
