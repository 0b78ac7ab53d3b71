import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Deps } from "@querybell/core";
import { checkSealedValues, type SealedValues } from "@querybell/core/operator";
import { applyMigrations, listMigrations } from "@querybell/prisma";
import { rebaseAfterRestore } from "@querybell/runtime";
import { CommandError } from "../command-error.ts";
import { countOf } from "../count-of.ts";
import { copyFile, flushFolder, hasContent, verifyFiles } from "./archive-files.ts";
import { listApplied } from "./describe-database.ts";
import { loadTables } from "./load-tables.ts";
import { type ArchiveFile, type Manifest, readManifest, uploadsFolder } from "./manifest.ts";

interface RestoreOptions {
  folder: string;
  databaseUrl: string;
  /** Restores although some secrets cannot be opened. They have to be entered again. */
  acceptsLostKeys: boolean;
}

interface Restored {
  manifest: Manifest;
  sealed: SealedValues[];
}

/**
 * Restores an archive into an empty database and its data folder. All rows are written in one transaction, so
 * a restore that fails can be repeated. `migrate` and the start of each process also do the steps that follow
 * the transaction.
 */
export async function restoreBackup(
  deps: Pick<Deps, "db" | "deployment" | "sealer">,
  { folder, databaseUrl, acceptsLostKeys }: RestoreOptions,
): Promise<Restored> {
  const manifest = await readManifest(folder);
  await prepare(deps, { folder, databaseUrl, manifest });
  await restoreUploads(folder, deps.deployment.dataFolder, manifest.files);
  const sealed = await load(deps, { folder, manifest, acceptsLostKeys, ending: "COMMIT" });
  await applyMigrations(databaseUrl);
  await rebaseAfterRestore(deps);
  await deps.db.pool.query("ANALYZE");
  return { manifest, sealed };
}

/**
 * Does everything that a restore does, and then rolls it back: the database has tables after it, and no rows. Uploaded
 * files are only compared with their hashes.
 */
export async function rehearseRestore(
  deps: Pick<Deps, "db" | "sealer">,
  { folder, databaseUrl }: Omit<RestoreOptions, "acceptsLostKeys">,
): Promise<Manifest> {
  const manifest = await readManifest(folder);
  await prepare(deps, { folder, databaseUrl, manifest });
  await load(deps, { folder, manifest, acceptsLostKeys: false, ending: "ROLLBACK" });
  return manifest;
}

/** Checks what can be checked before the first row, and creates the tables. */
async function prepare(
  deps: Pick<Deps, "db">,
  { folder, databaseUrl, manifest }: Omit<RestoreOptions, "acceptsLostKeys"> & { manifest: Manifest },
): Promise<void> {
  await refuseUnknownMigrations(manifest);
  await refuseUsedDatabase(deps, manifest);
  await verifyFiles(folder, manifest.files);
  await applyMigrations(databaseUrl, { upTo: manifest.migrations });
}

async function refuseUnknownMigrations({ migrations, release }: Manifest): Promise<void> {
  const known = await listMigrations();
  if (migrations.every((name) => known.includes(name))) return;
  throw new CommandError(
    `The backup was made by version ${release}, whose migrations this version does not have. Restore with that version or a newer one.`,
  );
}

/** A restore never overwrites: rows of two installations would be mixed, and one of them lost. */
async function refuseUsedDatabase({ db }: Pick<Deps, "db">, { migrations }: Manifest): Promise<void> {
  const { rows: tables } = await db.pool.query<{ exists: boolean }>(
    "SELECT to_regclass('_prisma_migrations') IS NOT NULL AND to_regclass('organizations') IS NOT NULL AS exists",
  );
  if (!tables[0]?.exists) return;
  const applied = await listApplied(db.pool);
  if (!applied.migrations.every((name) => migrations.includes(name))) {
    throw new CommandError(
      "The database at DATABASE_URL has migrations that are newer than the backup. Create an empty database, and restore into it before you migrate it.",
    );
  }
  const { rows } = await db.pool.query<{ used: boolean }>(
    "SELECT EXISTS (SELECT FROM organizations) OR EXISTS (SELECT FROM users) AS used",
  );
  if (!rows[0]?.used) return;
  throw new CommandError(
    "The database at DATABASE_URL has organizations or people. If a restore of this backup was stopped there, all its rows are restored: run migrate, and start the service. Otherwise restore into a new database, and use that one after.",
  );
}

/** Files that are there already are left as they are: the folder may have survived. */
export async function restoreUploads(
  folder: string,
  dataFolder: string,
  files: readonly ArchiveFile[],
): Promise<void> {
  for (const file of files.filter(({ path }) => path.startsWith(`${uploadsFolder}/`))) {
    const target = join(dataFolder, file.path);
    if (await hasContent(target, file)) continue;
    const partial = `${target}.partial`;
    await rm(partial, { force: true });
    await copyFile(join(folder, file.path), partial);
    await rename(partial, target);
    await flushFolder(dirname(target));
  }
}

interface LoadOptions {
  folder: string;
  manifest: Manifest;
  acceptsLostKeys: boolean;
  /** How the transaction ends if nothing fails. */
  ending: "COMMIT" | "ROLLBACK";
}

async function load(
  deps: Pick<Deps, "db" | "sealer">,
  { folder, manifest, acceptsLostKeys, ending }: LoadOptions,
): Promise<SealedValues[]> {
  const client = await deps.db.pool.connect();
  try {
    await client.query("BEGIN");
    await loadTables(client, folder, manifest);
    // A session that was ended after the backup must not be valid again.
    await client.query("DELETE FROM sessions");
    const sealed = await checkSealedValues(deps, client);
    if (!acceptsLostKeys) refuseLostKeys(sealed);
    await client.query(ending);
    return sealed;
  } finally {
    // Closing the connection rolls back what has not been committed.
    client.release(true);
  }
}

function refuseLostKeys(sealed: readonly SealedValues[]): void {
  const lost = sealed.filter(({ unopened }) => unopened > 0);
  if (lost.length === 0) return;
  const values = lost
    .map(({ keyId, kind, unopened }) => `${countOf(unopened, kind.one, kind.many)} (key ${keyId})`)
    .join(", ");
  throw new CommandError(
    `SEALING_KEYS cannot open what the backup has sealed: ${values}. Nothing was restored. Set SEALING_KEYS to the keys of the time of the backup. If they are lost, add --lost-keys accept: admins then have to enter what they sealed again.`,
  );
}
