import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { withBaseline } from "@querybell/prisma";
import { z } from "zod";
import { CommandError } from "../command-error.ts";

const TableName = z.strictObject({ schema: z.string(), name: z.string() });
export type TableName = z.infer<typeof TableName>;

/** A path inside of the archive or of the data folder: relative, and never above it. */
const InnerPath = z
  .string()
  .refine((path) => path.split("/").every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part)));

const BackupTable = TableName.extend({
  columns: z.array(z.string()),
  rows: z.int().nonnegative(),
  file: InnerPath,
});
export type BackupTable = z.infer<typeof BackupTable>;

const Sequence = TableName.extend({ lastValue: z.string().regex(/^-?\d+$/), isCalled: z.boolean() });
export type Sequence = z.infer<typeof Sequence>;

const ArchiveFile = z.strictObject({
  path: InnerPath,
  bytes: z.int().nonnegative(),
  sha256: z.string().length(64),
});
export type ArchiveFile = z.infer<typeof ArchiveFile>;

/** What is in an archive. Written last, so an archive that has one is complete. */
const Manifest = z.strictObject({
  format: z.literal(1),
  createdAt: z.iso.datetime(),
  release: z.string(),
  migrations: z.array(z.string()).min(1).transform(withBaseline),
  /** The migrations of the job queue, which has its own tables. */
  jobQueueMigrations: z.array(z.int()),
  tables: z.array(BackupTable),
  sequences: z.array(Sequence),
  files: z.array(ArchiveFile),
});
export type Manifest = z.infer<typeof Manifest>;

export const manifestFile = "manifest.json";
export const tablesFolder = "tables";
/** Uploaded files, with the paths that they have in the data folder. */
export const uploadsFolder = "uploads";

export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifestFile);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new CommandError(
      `${folder} is not a complete backup: ${manifestFile} cannot be read. Name a folder that backup create has made.`,
      { cause },
    );
  }
  const read = Manifest.safeParse(parseJson(text));
  if (read.success) return read.data;
  throw new CommandError(
    `${path} is damaged, or was made by a newer version. Restore with the version that made it, or use another backup.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
