import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Deps } from "@querybell/core";
import { CommandError } from "../command-error.ts";
import type { Manifest } from "./manifest.ts";

// As backup create names them: the time in UTC.
const backupName = /^querybell-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(\.partial)?$/;
const dayMs = 86_400_000;

interface Found {
  name: string;
  at: number;
  isPartial: boolean;
}

/** The backups in a folder, the newest first. */
async function listBackups(folder: string): Promise<Found[]> {
  const names = await readdir(folder).catch((cause: unknown) => {
    throw new CommandError(`${folder} cannot be read. Name the folder with the backups.`, { cause });
  });
  return names
    .flatMap((name) => {
      const [, year, month, day, hour, minute, second, partial] = backupName.exec(name) ?? [];
      if (year === undefined) return [];
      const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
      return [{ name, at, isPartial: partial !== undefined }];
    })
    .toSorted((one, other) => other.at - one.at);
}

export async function findNewestBackup(folder: string): Promise<string> {
  const newest = (await listBackups(folder)).find(({ isPartial }) => !isPartial);
  if (!newest) throw new CommandError(`There is no backup in ${folder}. Create one with: backup create`);
  return join(folder, newest.name);
}

/**
 * Deletes backups older than this, except the newest one, and what backups that were interrupted have left for a day. Other
 * files in the folder stay. Returns the names.
 */
export async function deleteOldBackups(
  { clock }: Pick<Deps, "clock">,
  folder: string,
  days: number,
): Promise<string[]> {
  const now = clock.now().getTime();
  const found = await listBackups(folder);
  const newest = found.find(({ isPartial }) => !isPartial);
  const deleted: string[] = [];
  for (const backup of found) {
    const path = join(folder, backup.name);
    // A large backup may still be written: it changes its folder.
    const changedAt = backup.isPartial ? (await stat(path)).mtimeMs : backup.at;
    const keepMs = backup.isPartial ? dayMs : days * dayMs;
    if (backup === newest || changedAt > now - keepMs) continue;
    await rm(path, { recursive: true, force: true });
    deleted.push(backup.name);
  }
  return deleted;
}

/** Records a backup, for the metric of its age. */
export async function recordBackup({ db }: Pick<Deps, "db">, { createdAt, files }: Manifest): Promise<void> {
  const bytes = BigInt(files.reduce((sum, file) => sum + file.bytes, 0));
  await db.prisma.backup.createMany({ data: [{ createdAt, bytes }], skipDuplicates: true });
}

/** Records that it can be restored. It may be one that was made elsewhere, or before the database was restored. */
export async function recordCheck(
  { db, clock }: Pick<Deps, "db" | "clock">,
  manifest: Manifest,
): Promise<void> {
  await recordBackup({ db }, manifest);
  await db.prisma.backup.update({
    where: { createdAt: manifest.createdAt },
    data: { checkedAt: clock.now() },
  });
}
