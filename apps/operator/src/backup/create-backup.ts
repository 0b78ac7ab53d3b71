import { mkdir, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createZstdCompress } from "node:zlib";
import type { Deps } from "@querybell/core";
import { listStoredFiles } from "@querybell/core/uploads";
import type { PoolClient } from "pg";
import { to as copyTo } from "pg-copy-streams";
import { CommandError } from "../command-error.ts";
import { flushFolder, writeFileFrom, writeManifest } from "./archive-files.ts";
import { copyUploads } from "./copy-uploads.ts";
import {
  listApplied,
  listSequences,
  listTables,
  type Queryable,
  quote,
  quoteName,
} from "./describe-database.ts";
import { type ArchiveFile, type BackupTable, type Manifest, tablesFolder } from "./manifest.ts";

const { version }: { version: string } = createRequire(import.meta.url)("../../package.json");

// People replace uploads one at a time, so the second attempt almost always finds every file.
const attempts = 10;

/**
 * Writes an archive of one moment: the rows of every table in one snapshot, and the uploaded files that these rows name.
 * It has a temporary name until it is complete.
 */
export async function createBackup(
  deps: Pick<Deps, "db" | "deployment" | "clock">,
  folder: string,
): Promise<{ path: string; manifest: Manifest }> {
  const createdAt = deps.clock.now().toISOString();
  const path = join(resolve(folder), `querybell-${createdAt.replace(/[-:]|\.\d+/g, "")}`);
  const partial = `${path}.partial`;
  try {
    await createIfMissing(resolve(folder));
    await mkdir(partial, { mode: 0o700 });
  } catch (cause) {
    if (hasCode(cause, "ENOTDIR")) {
      throw new CommandError(`${resolve(folder)} is a file, or inside of one. Name a folder after --to.`, {
        cause,
      });
    }
    throw new CommandError(
      `${partial} cannot be created. The folder above may be missing, another backup may be running, or this user may not write there.`,
      { cause },
    );
  }
  const client = await deps.db.pool.connect();
  try {
    const manifest = await writeArchive(client, {
      createdAt,
      partial,
      dataFolder: deps.deployment.dataFolder,
    });
    await rename(partial, path);
    await flushFolder(resolve(folder));
    return { path, manifest };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  } finally {
    // Closed, not returned to the pool: after an interrupted COPY, a connection cannot be used again.
    client.release(true);
  }
}

interface ArchivePlace {
  createdAt: string;
  partial: string;
  dataFolder: string;
}

/** Creates no folders above it: Node's recursive `mkdir` never ends where none can be created, such as in `/proc`. */
async function createIfMissing(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

async function writeArchive(
  client: PoolClient,
  { createdAt, partial, dataFolder }: ArchivePlace,
): Promise<Manifest> {
  const uploads = await beginWithUploads(client, { archive: partial, dataFolder });
  await mkdir(join(partial, tablesFolder));
  const tables: BackupTable[] = [];
  const files: ArchiveFile[] = [...uploads];
  for (const table of await listTables(client)) {
    const file = `${tablesFolder}/${table.schema}.${table.name}.copy.zst`;
    const columns = table.columns.map(quoteName).join(", ");
    const rows = client.query(copyTo(`COPY (SELECT ${columns} FROM ${quote(table)}) TO STDOUT`));
    const written = await writeFileFrom(join(partial, file), rows, createZstdCompress());
    tables.push({ ...table, rows: rows.rowCount, file });
    files.push({ path: file, ...written });
  }
  const manifest: Manifest = {
    format: 1,
    createdAt,
    release: version,
    ...(await listApplied(client)),
    tables,
    sequences: await listSequences(client),
    files,
  };
  await client.query("COMMIT");
  await writeManifest(partial, manifest);
  await flushFolder(partial);
  return manifest;
}

/**
 * Begins a snapshot whose uploaded files are all in the archive. The files are copied first, because the service keeps a
 * replaced file for minutes only. If one is gone already, a newer snapshot does not name it.
 */
async function beginWithUploads(
  client: PoolClient,
  { archive, dataFolder }: { archive: string; dataFolder: string },
): Promise<ArchiveFile[]> {
  const copied = new Map<string, ArchiveFile>();
  let missing: string | undefined;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    await beginSnapshot(client);
    const paths = (await listStoredFiles(client)).map(({ path }) => path);
    missing = await copyUploads({ archive, dataFolder, paths, copied });
    if (missing === undefined) return await keepOnly(archive, copied, paths);
    await client.query("ROLLBACK");
  }
  throw new CommandError(
    `The uploaded file ${missing} is not in ${dataFolder}. Run the backup where the folder of the api and the workers is mounted, and set DUCKDB_FOLDER to it. If the file is lost: uploads repair.`,
  );
}

/**
 * The locks are taken before the snapshot, which Postgres takes with the first query: until the backup has ended, no
 * table is dropped or rewritten by a migration.
 */
async function beginSnapshot(client: Queryable): Promise<void> {
  const tables = await listTables(client);
  await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
  await client.query(`LOCK TABLE ${tables.map(quote).join(", ")} IN ACCESS SHARE MODE`);
}

/** Deletes what an earlier snapshot named and this one does not. */
async function keepOnly(
  archive: string,
  copied: Map<string, ArchiveFile>,
  paths: readonly string[],
): Promise<ArchiveFile[]> {
  const named = new Set(paths);
  for (const path of copied.keys()) if (!named.has(path)) await rm(join(archive, path));
  return [...copied.values()].filter(({ path }) => named.has(path));
}
