import { sql, sqlList, sqlName } from "../duckdb/own-sql.ts";
import { describeFailure } from "./describe-failure.ts";
import { openFile } from "./file-reader.ts";
import { openWorkspace } from "./open-workspace.ts";
import type { ChosenTypes, UploadedFile, UploadPreview } from "./upload-tasks.ts";

const maxRows = 50;
const maxCells = 5000;
const maxCharacters = 200;

/** The columns of a file with their types, and its first rows. Throws `UploadRefused`. */
export async function previewUpload(
  { file, types }: { file: UploadedFile; types: ChosenTypes },
  memoryBytes: number,
): Promise<UploadPreview> {
  const workspace = await openWorkspace({ database: ":memory:", readable: [file.path], memoryBytes });
  try {
    const { columns, select } = await openFile(workspace.connection, file, types);
    const texts = columns.map(({ name }) => sql`left(CAST(${sqlName(name)} AS VARCHAR), ${maxCharacters})`);
    const limit = Math.max(1, Math.min(maxRows, Math.floor(maxCells / Math.max(1, columns.length))));
    const reader = await workspace.connection.runAndReadAll(
      sql`SELECT ${sqlList(texts)} FROM (${select(columns)}) LIMIT ${limit}`,
    );
    const rows = reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value))));
    return { columns, rows };
  } catch (error) {
    throw await describeFailure(error, file);
  } finally {
    workspace.close();
  }
}
