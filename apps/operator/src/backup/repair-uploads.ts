import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createZstdDecompress } from "node:zlib";
import type { Deps } from "@querybell/core";
import { findLostFiles, giveUpLostFile, type OlderTables, type StoredFile } from "@querybell/core/uploads";
import { from as copyFrom } from "pg-copy-streams";
import { CommandError } from "../command-error.ts";
import { countOf } from "../count-of.ts";
import { verifyFiles } from "./archive-files.ts";
import { listTables, quote, quoteName } from "./describe-database.ts";
import { type ArchiveFile, type Manifest, readManifest } from "./manifest.ts";
import { restoreUploads } from "./restore-backup.ts";

/** The file with the tables of an organization: its id, and that of the file. */
const tablesFile = /^uploads\/([0-9a-f-]{36})\/([0-9a-f-]{36})\/[^/]+$/;

interface RepairOptions {
  /** The backup that may have the files. */
  folder: string | undefined;
  /** Whether what it does not have is given up. */
  acceptsLostFiles: boolean;
}

interface Older extends OlderTables {
  names: string[];
  file: ArchiveFile;
}

/**
 * Copies uploaded files that are missing from a backup. What it does not have is only given up if the operator accepts
 * that: the folder may just not be mounted. Returns what was done, a line for each thing.
 */
export async function repairUploads(
  deps: Pick<Deps, "db" | "clock" | "deployment">,
  { folder, acceptsLostFiles }: RepairOptions,
): Promise<string[]> {
  const { dataFolder } = deps.deployment;
  const lost = await findLostFiles(deps);
  if (lost.length === 0) return [`Every uploaded file is in ${dataFolder}.`];
  const backup = folder === undefined ? undefined : { folder, manifest: await readManifest(folder) };
  const copied = backup ? await copyFound(dataFolder, backup, lost) : [];
  const left = lost.filter((file) => !copied.includes(file));
  const older = backup ? await readOlder(deps, backup, left) : new Map<string, Older>();
  const done =
    copied.length > 0 ? [`Copied ${countOf(copied.length, "file")} from the backup to ${dataFolder}.`] : [];
  if (left.length === 0) return done;
  if (!acceptsLostFiles) {
    const named = backup ? "" : " Name a backup after --from: what it has is copied.";
    throw new CommandError(
      [
        ...done,
        ...left.map((file) => describeLost(file, older.get(file.organizationId))),
        `They are not in ${dataFolder}. Mount the folder of the api and the workers there, or set DUCKDB_FOLDER to it.${named} If they are lost, add --lost-files accept.`,
      ].join("\n"),
    );
  }
  for (const file of left) {
    const tables = older.get(file.organizationId);
    const takesOlder = file.holds === "tables" && tables !== undefined && backup !== undefined;
    if (takesOlder) await restoreUploads(backup.folder, dataFolder, [tables.file]);
    await giveUpLostFile(deps, file, takesOlder ? tables : undefined);
    done.push(describeGivenUp(file, tables));
  }
  return done;
}

interface Backup {
  folder: string;
  manifest: Manifest;
}

async function copyFound(dataFolder: string, { folder, manifest }: Backup, lost: readonly StoredFile[]) {
  const files = manifest.files.filter(({ path }) => lost.some((file) => file.path === path));
  await verifyFiles(folder, files);
  await restoreUploads(folder, dataFolder, files);
  return lost.filter(({ path }) => files.some((file) => file.path === path));
}

/** For each organization whose tables have changed since the backup: those of the backup. */
async function readOlder(
  { db }: Pick<Deps, "db">,
  { folder, manifest }: Backup,
  lost: readonly StoredFile[],
): Promise<Map<string, Older>> {
  const older = new Map<string, Older>();
  const stores = lost.filter(({ holds }) => holds === "tables");
  if (stores.length === 0) return older;
  const rows = await readTables({ db }, { folder, manifest });
  for (const { organizationId } of stores) {
    const file = manifest.files.find(({ path }) => tablesFile.exec(path)?.[1] === organizationId);
    const tables = rows.get(organizationId);
    const fileId = tablesFile.exec(file?.path ?? "")?.[2] ?? "";
    if (!file || !tables) continue;
    await verifyFiles(folder, [file]);
    older.set(organizationId, { ...tables, fileId, usedBytes: file.bytes, file });
  }
  return older;
}

/** The rows of `uploaded_tables` in a backup. They are loaded into a table that is never committed. */
async function readTables({ db }: Pick<Deps, "db">, { folder, manifest }: Backup) {
  const isIt = ({ schema, name }: { schema: string; name: string }) =>
    schema === "public" && name === "uploaded_tables";
  const stored = manifest.tables.find(isIt);
  const current = (await listTables(db.pool)).find(isIt);
  if (!stored || stored.columns.toSorted().join() !== current?.columns.toSorted().join()) {
    throw new CommandError(
      `The tables of this version are not those of the backup, which version ${manifest.release} made. Use a newer backup.`,
    );
  }
  await verifyFiles(
    folder,
    manifest.files.filter(({ path }) => path === stored.file),
  );
  const client = await db.pool.connect();
  try {
    const scratch = "uploaded_tables_of_backup";
    await client.query("BEGIN");
    await client.query(`CREATE TABLE ${scratch} (LIKE ${quote(stored)})`);
    const columns = stored.columns.map(quoteName).join(", ");
    const copy = client.query(copyFrom(`COPY ${scratch} (${columns}) FROM STDIN`));
    await pipeline(createReadStream(join(folder, stored.file)), createZstdDecompress(), copy);
    const { rows } = await client.query<{ organizationId: string; names: string[]; rows: string }>(
      `SELECT organization_id AS "organizationId", array_agg(name ORDER BY name) AS names, jsonb_agg(t)::text AS rows
       FROM ${scratch} t GROUP BY 1`,
    );
    return new Map(rows.map(({ organizationId, ...tables }) => [organizationId, tables]));
  } finally {
    // Closing the connection rolls back.
    client.release(true);
  }
}

function describeLost({ slug, holds }: StoredFile, older: Older | undefined): string {
  if (holds === "import") return `${slug}: a file that waits to be imported. It would be discarded.`;
  return older
    ? `${slug}: its tables, which have changed since the backup. It would get those of the backup: ${older.names.join(", ")}.`
    : `${slug}: its tables. It would have none until its members upload them again.`;
}

function describeGivenUp({ slug, holds }: StoredFile, older: Older | undefined): string {
  if (holds === "import") return `${slug}: discarded a file that waited to be imported.`;
  return older
    ? `${slug}: has the tables of the backup: ${older.names.join(", ")}. Its members import what has changed since.`
    : `${slug}: has no tables any more. Its members upload them again.`;
}
