import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import type { Deps } from "@querybell/core";
import { closeDeps } from "@querybell/core/open-deps";
import { checkSealedValues, type SealedValues } from "@querybell/core/operator";
import { z } from "zod";
import type { Command } from "../command.ts";
import { CommandError } from "../command-error.ts";
import { countOf } from "../count-of.ts";
import { describeLost } from "../key-commands.ts";
import { parseOption } from "../options.ts";
import { verifyFiles } from "./archive-files.ts";
import { createBackup } from "./create-backup.ts";
import { deleteOldBackups, findNewestBackup, recordBackup, recordCheck } from "./kept-backups.ts";
import { type Manifest, readManifest, uploadsFolder } from "./manifest.ts";
import { repairUploads } from "./repair-uploads.ts";
import { rehearseRestore, restoreBackup } from "./restore-backup.ts";

const Days = z.coerce.number({ error: "must be a number of days" }).int().min(1, "must be at least 1");

export const backupCommands: Command[] = [
  {
    words: ["backup", "create"],
    summary:
      "Writes a backup of the database and the uploaded files into a new folder there. Deletes older ones.",
    options: { to: "<folder>" },
    optional: { "keep-days": "<days>" },
    run: async ({ deps }, options) => {
      const { to = "" } = options;
      const keepDays = parseOption("keep-days", Days.optional(), options);
      const sealed = await checkSealedValues(deps, deps.db.pool);
      const { path, manifest } = await createBackup(deps, to);
      await recordBackup(deps, manifest);
      const deleted = keepDays === undefined ? [] : await deleteOldBackups(deps, resolve(to), keepDays);
      return [
        `Created ${path}: ${describe(manifest)}.`,
        ...deleted.map((name) => `Deleted ${name}.`),
        describeKeys(sealed),
        ...(await describeOthers(deps)),
      ].join("\n");
    },
  },
  {
    words: ["backup", "verify"],
    summary: "Checks that a backup is complete.",
    options: { from: "<folder>" },
    runsBeforeMigrations: true,
    run: async (_, { from = "" }) => {
      const manifest = await readManifest(resolve(from));
      await verifyFiles(resolve(from), manifest.files);
      return `The backup of ${manifest.createdAt} is complete: ${describe(manifest)}.`;
    },
  },
  {
    words: ["backup", "check"],
    summary: "Restores the newest backup there into the database CHECK_DATABASE_URL, and rolls it back.",
    options: { in: "<folder>" },
    run: async ({ deps, openCheckDatabase }, { in: folder = "" }) => {
      if (!openCheckDatabase) {
        throw new CommandError("Set CHECK_DATABASE_URL to an empty database of the same role.");
      }
      const backup = await findNewestBackup(resolve(folder));
      const { deps: scratch, databaseUrl } = openCheckDatabase();
      try {
        const manifest = await rehearseRestore(scratch, { folder: backup, databaseUrl });
        await recordCheck(deps, manifest);
        return `The backup of ${manifest.createdAt} can be restored: ${describe(manifest)}.`;
      } finally {
        await closeDeps(scratch);
      }
    },
  },
  {
    words: ["backup", "restore"],
    summary:
      "Restores a backup into an empty database. `--lost-keys accept`: also without the keys of secrets.",
    options: { from: "<folder>" },
    optional: { "lost-keys": "accept" },
    runsBeforeMigrations: true,
    run: async ({ deps, databaseUrl }, { from = "", "lost-keys": lostKeys }) => {
      const acceptsLostKeys = isAccepted("lost-keys", lostKeys);
      const { manifest, sealed } = await restoreBackup(deps, {
        folder: resolve(from),
        databaseUrl,
        acceptsLostKeys,
      });
      return [
        `Restored the backup of ${manifest.createdAt}: ${describe(manifest)}.`,
        ...describeLost(sealed),
        "Everybody has to sign in again. Start the api and the workers: what was unfinished at that time goes on, and webhooks that were sent since may be sent again, with the same ids.",
        "Review API keys, members and webhook endpoints: what was revoked or changed after the backup is as it was before.",
      ].join("\n");
    },
  },
  {
    words: ["uploads", "repair"],
    summary:
      "Copies uploaded files that are missing from a backup. `--lost-files accept`: gives up what it does not have.",
    options: {},
    optional: { from: "<folder>", "lost-files": "accept" },
    run: async ({ deps }, { from, "lost-files": lostFiles }) => {
      const folder = from === undefined ? undefined : resolve(from);
      const acceptsLostFiles = isAccepted("lost-files", lostFiles);
      return (await repairUploads(deps, { folder, acceptsLostFiles })).join("\n");
    },
  },
];

/** Whether the operator accepts a loss, which takes a word. */
function isAccepted(option: string, value: string | undefined): boolean {
  if (value === undefined || value === "accept") return value === "accept";
  throw new CommandError(`The value of --${option} can only be accept.`);
}

function describe({ tables, files, release }: Manifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const uploads = files.filter(({ path }) => path.startsWith(`${uploadsFolder}/`)).length;
  const mebibytes = files.reduce((sum, { bytes }) => sum + bytes, 0) / 1024 ** 2;
  const size = mebibytes < 0.1 ? "under 0.1 MiB" : `${mebibytes.toFixed(1)} MiB`;
  return `${countOf(rows, "row")} of ${countOf(tables.length, "table")} and ${countOf(uploads, "uploaded file")}, ${size}, by version ${release}`;
}

function describeKeys(sealed: readonly SealedValues[]): string {
  const ids = [...new Set(sealed.map(({ keyId }) => keyId))].sort();
  const needed =
    ids.length > 0
      ? `A restore needs the ${ids.length === 1 ? "key" : "keys"} ${ids.join(", ")} of SEALING_KEYS`
      : "Nothing is sealed in it";
  const lines = [`${needed}. The keys are not in the backup: keep them in another place.`];
  return [...lines, ...describeLost(sealed)].join("\n");
}

/** The operator must back up files that the operator has put there. Sample shops are made anew. */
async function describeOthers({ db, deployment: { dataFolder } }: Deps): Promise<string[]> {
  const { rows } = await db.pool.query<{ name: string }>(
    "SELECT slug || '.' || file AS name FROM sample_shops JOIN organizations ON id = organization_id",
  );
  const shops = new Set(rows.map(({ name }) => name));
  const entries = await readdir(dataFolder).catch(() => []);
  const count = entries.filter((name) => name.endsWith(".duckdb") && !shops.has(name)).length;
  return count > 0
    ? [
        `Not in it: ${countOf(count, "database file")} that the operator has put into ${dataFolder}. Back ${count === 1 ? "it" : "them"} up as well.`,
      ]
    : [];
}
