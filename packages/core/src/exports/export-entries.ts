import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Prisma } from "@querybell/db";
import { readAuditEntries } from "../audit.ts";
import { toAutomation, withContent } from "../automations/get-automation.ts";
import { type DashboardRow, toDashboard, withoutLastRun } from "../dashboards/dashboard-rows.ts";
import type { Deps } from "../deps.ts";
import { getUploadsDatabase, storePath } from "../uploads/stored-files.ts";
import { organizationEntries } from "./organization-entries.ts";
import { pastResultEntries } from "./past-result-entries.ts";
import { queryEntries, readQueries } from "./query-entries.ts";
import type { TarEntry } from "./tar.ts";
import { writeTemporaryFile } from "./temporary-file.ts";
import { toFileName, toJsonEntry } from "./text-entries.ts";

export interface Exporting {
  organizationId: string;
  /** For temporary files. */
  folder: string;
  /** Called when the items are counted, and after each of them. */
  onProgress: (progress: { itemsDone: number; itemsTotal: number }) => Promise<void>;
}

const batchSize = 50;

/** Everything of an organization, as files of an archive. What changes meanwhile is in it as it was or as it is. */
export async function* toExportEntries(deps: Deps, exporting: Exporting): AsyncGenerator<TarEntry> {
  const { prisma } = deps.db;
  const where = { organizationId: exporting.organizationId };
  const listed = { where: { ...where, deletedAt: null }, select: { id: true } };
  const ids = {
    queries: await prisma.query.findMany(listed),
    charts: await prisma.queryReference.findMany(listed),
    automations: await prisma.automation.findMany(listed),
    dashboards: await prisma.dashboard.findMany(listed),
  };
  let itemsDone = 0;
  const itemsTotal = Object.values(ids).reduce((sum, kind) => sum + kind.length, 0);
  const count = () => exporting.onProgress({ itemsDone: ++itemsDone, itemsTotal });
  await exporting.onProgress({ itemsDone, itemsTotal });

  yield* organizationEntries(deps, exporting);
  for (const batch of inBatches(ids.queries)) {
    for (const row of await readQueries(deps, batch)) {
      yield* queryEntries(deps, exporting, row);
      await count();
    }
  }
  for (const batch of inBatches(ids.charts)) {
    for (const row of await prisma.queryReference.findMany({ where: { id: { in: batch } } })) {
      yield chartEntry(row);
      await count();
    }
  }
  for (const batch of inBatches(ids.automations)) {
    const rows = await prisma.automation.findMany({ where: { id: { in: batch } }, include: withContent });
    for (const row of rows) {
      const content = { ...toAutomation(row), folderId: row.folderId };
      yield toJsonEntry(`automations/${toFileName(row.name, row.id)}.json`, content, row.updatedAt);
      await count();
    }
  }
  for (const batch of inBatches(ids.dashboards)) {
    const rows = await prisma.dashboard.findMany({
      where: { id: { in: batch } },
      include: { versions: { orderBy: { version: "asc" } } },
      omit: withoutLastRun,
    });
    for (const row of rows) {
      yield dashboardEntry(row);
      await count();
    }
  }
  yield await linesEntry(deps, exporting, "automation-runs.jsonl", readRuns(deps, ids.automations));
  yield await linesEntry(deps, exporting, "audit-log.jsonl", readAuditEntries(deps, where));
  yield* pastResultEntries(deps, exporting);
  yield* uploadEntries(deps, exporting);
}

const chartEntry = (row: Prisma.QueryReferenceModel): TarEntry =>
  toJsonEntry(
    `charts/${toFileName(row.title, row.shortId)}.json`,
    {
      id: row.id,
      shortId: row.shortId,
      title: row.title,
      description: row.description,
      queryId: row.queryId,
      folderId: row.folderId,
      archivedAt: row.archivedAt,
      visualization: row.visualization,
      parameters: row.parameters,
      createdBy: row.createdBy,
      createdAt: row.createdAt,
      updatedAt: row.updatedAt,
    },
    row.updatedAt,
  );

const dashboardEntry = (row: DashboardRow & { versions: Prisma.DashboardVersionModel[] }): TarEntry =>
  toJsonEntry(
    `dashboards/${toFileName(row.title, row.id)}.json`,
    {
      ...toDashboard(row),
      folderId: row.folderId,
      archivedAt: row.archivedAt,
      earlierVersions: row.versions.map(({ version, content, createdBy, createdAt }) => ({
        ...{ version, content, createdBy, createdAt },
      })),
    },
    row.updatedAt,
  );

async function* readRuns({ db }: Pick<Deps, "db">, automations: { id: string }[]): AsyncGenerator<object[]> {
  for (const { id: automationId } of automations) {
    let after: string | undefined;
    do {
      const runs = await db.prisma.automationRun.findMany({
        where: { automationId, isTrial: false },
        orderBy: [{ createdAt: "desc" }, { id: "desc" }],
        take: batchSize,
        ...(after && { cursor: { id: after }, skip: 1 }),
        select: {
          ...{
            id: true,
            automationId: true,
            shortId: true,
            status: true,
            triggerId: true,
            scheduledFor: true,
          },
          ...{ createdAt: true, startedAt: true, completedAt: true, summary: true },
          ...{ failureCode: true, failureReason: true },
        },
      });
      yield runs;
      after = runs.length === batchSize ? runs.at(-1)?.id : undefined;
    } while (after);
  }
}

async function linesEntry(
  { clock }: Pick<Deps, "clock">,
  { folder }: Exporting,
  path: string,
  batches: AsyncIterable<object[]>,
): Promise<TarEntry> {
  async function* lines() {
    for await (const batch of batches) yield batch.map((one) => `${JSON.stringify(one)}\n`).join("");
  }
  return { path, modifiedAt: clock.now(), ...(await writeTemporaryFile(folder, lines())) };
}

/** The tables of uploaded files, in their DuckDB file. It never changes; once open, it can be read even if it is deleted. */
async function* uploadEntries(
  { db, deployment }: Pick<Deps, "db" | "deployment">,
  { organizationId }: Exporting,
): AsyncGenerator<TarEntry> {
  const { uploadFile } = await getUploadsDatabase(db.prisma, organizationId);
  if (!uploadFile) return;
  const path = join(deployment.dataFolder, storePath({ organizationId, fileId: uploadFile.id }));
  await using file = await open(path, "r");
  const { size, mtime: modifiedAt } = await file.stat();
  yield { path: "uploads.duckdb", size, modifiedAt, content: file.createReadStream({ autoClose: false }) };
}

function* inBatches(rows: { id: string }[]): Generator<string[]> {
  for (let at = 0; at < rows.length; at += batchSize) {
    yield rows.slice(at, at + batchSize).map(({ id }) => id);
  }
}
