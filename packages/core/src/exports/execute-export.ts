import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, rename, rm, rmdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { exportDays, type JobPayload } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { toExportEntries } from "./export-entries.ts";
import { exportFile, exportFolder } from "./export-files.ts";
import { toTar } from "./tar.ts";

type Outcome = "made" | "not wanted any more";

/**
 * Makes the file of an export. After a crash it starts anew. If two workers make it at once, each writes a file of its own
 * and the last one stays; both are whole.
 */
export async function executeExport(deps: Deps, payload: JobPayload<"create_export">): Promise<Outcome> {
  const { id } = payload;
  const { organizationExport } = deps.db.prisma;
  const started = await organizationExport.updateMany({
    where: { id, state: { in: ["pending", "running", "failed"] } },
    data: { state: "running" },
  });
  if (started.count === 0) return giveUp(deps, payload);
  try {
    const bytes = await writeArchive(deps, payload);
    const expiresAt = new Date(deps.clock.now().getTime() + exportDays * 24 * 60 * 60 * 1000);
    const ended = await organizationExport.updateMany({
      where: { id, state: "running" },
      data: { state: "ready", bytes, expiresAt },
    });
    return ended.count === 1 ? "made" : await giveUp(deps, payload);
  } catch (error) {
    const failed = await organizationExport.updateMany({
      where: { id, state: "running" },
      data: { state: "failed" },
    });
    if (failed.count > 0) throw error;
    return giveUp(deps, payload);
  }
}

/** If the organization was deleted meanwhile, nobody else deletes what was written. */
async function giveUp(deps: Deps, payload: JobPayload<"create_export">): Promise<Outcome> {
  const rows = await deps.db.prisma.organizationExport.count({ where: { id: payload.id } });
  if (rows === 0) await deleteFolder(exportFolder(deps, payload));
  return "not wanted any more";
}

/** Returns the size of the file. */
async function writeArchive(deps: Deps, payload: JobPayload<"create_export">): Promise<number> {
  const folder = exportFolder(deps, payload);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${randomUUID()}.part`);
  const entries = toExportEntries(deps, {
    organizationId: payload.organizationId,
    folder,
    onProgress: createProgress(deps, payload.id),
  });
  try {
    await pipeline(
      Readable.from(toTar(entries), { objectMode: false }),
      createGzip(),
      createWriteStream(path, { flags: "wx", mode: 0o600 }),
    );
    await using written = await open(path, "r+");
    await written.sync();
    await rename(path, exportFile(deps, payload));
    return (await written.stat()).size;
  } finally {
    await rm(path, { force: true });
  }
}

const writeEveryMs = 1_000;

/** Writes the progress at most once a second. Throws once the export is deleted. */
function createProgress({ db }: Pick<Deps, "db">, id: string) {
  let writtenAt = Number.NEGATIVE_INFINITY;
  return async (progress: { itemsDone: number; itemsTotal: number }): Promise<void> => {
    const now = performance.now();
    if (now - writtenAt < writeEveryMs && progress.itemsDone < progress.itemsTotal) return;
    writtenAt = now;
    const { count } = await db.prisma.organizationExport.updateMany({
      where: { id, state: "running" },
      data: progress,
    });
    if (count === 0) throw new Error("The export was deleted.");
  };
}

/** Deletes the files of exports that have ended or expired, and then their rows. */
export async function sweepExports(deps: Deps): Promise<number> {
  const { prisma } = deps.db;
  const expired = { expiresAt: { lte: deps.clock.now() } };
  await prisma.organizationExport.updateMany({ where: expired, data: { state: "ended" } });
  const rows = await prisma.organizationExport.findMany({
    where: expired,
    select: { id: true, organizationId: true },
    take: 100,
  });
  for (const row of rows) {
    await deleteFolder(exportFolder(deps, row));
    await prisma.organizationExport.deleteMany({ where: { id: row.id } });
  }
  return rows.length;
}

async function deleteFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  // Not if it is in use by another export, or gone already.
  await rmdir(dirname(folder)).catch(() => {});
}
