import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { FileReading } from "@querybell/domain/file-reading";
import type { DateOrder, NamesBefore, TableChange, UploadedFile } from "@querybell/engines";
import { uploadsInThisProcess } from "./uploads-in-this-process.ts";

const maxUnpackedBytes = 64 * 1024 ** 2;

interface Choices {
  reading?: FileReading;
  namesBefore?: NamesBefore;
  numbersBefore?: FileReading["numbers"];
  dateOrder?: DateOrder;
  upsert?: { database: string; table: string; key: string[] };
}

/**
 * A folder for one test with a database in it, and files to import into the database. Tests that are not
 * about hosts run in this process, because starting a host for each file takes longer than reading the file.
 */
export function createUploadWorkspace(uploads = uploadsInThisProcess) {
  const root = mkdtempSync(join(tmpdir(), "querybell-uploads-"));
  const workspace = join(root, "workspace");
  mkdirSync(workspace, { mode: 0o700 });
  const fileName = "uploads.duckdb";
  const organizationId = "one";

  const file = (content: string | Uint8Array, format: UploadedFile["format"] = "csv"): UploadedFile => {
    const path = join(root, randomUUID());
    writeFileSync(path, content, { mode: 0o600 });
    return { path, format, maxUnpackedBytes };
  };
  const change = (asked: TableChange, maxFileBytes = 1024 ** 3) =>
    uploads.changeTables({ organizationId, workspace, fileName, maxFileBytes, change: asked });
  const scratchFolder = join(root, "scratch");
  mkdirSync(scratchFolder, { mode: 0o700 });
  const preview = (given: UploadedFile, types: Record<string, string> = {}, choices: Choices = {}) =>
    uploads.previewUpload({ organizationId, file: given, reading: {}, types, ...choices, scratchFolder });
  /** Reads rows from the database file directly, without a host. */
  const read = async (sql: string): Promise<unknown[][]> => {
    const instance = await DuckDBInstance.create(join(workspace, fileName), { access_mode: "READ_ONLY" });
    const connection = await instance.connect();
    try {
      await connection.run("SET TimeZone = 'UTC'");
      return (await connection.runAndReadAll(sql)).getRowsJson();
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  };
  return {
    root,
    workspace,
    file,
    change,
    preview,
    read,
    hasDatabase: () => existsSync(join(workspace, fileName)),
    contents: () => readdirSync(workspace),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

export const importOf = (
  file: UploadedFile,
  options: Partial<Extract<TableChange, { kind: "import" }>> = {},
): TableChange => ({
  kind: "import",
  mode: "create",
  table: "sales",
  key: [],
  reading: {},
  types: {},
  ...options,
  file,
});
