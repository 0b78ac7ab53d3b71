import { sql } from "../duckdb/trusted-sql.ts";
import { decideColumns } from "./decide-columns.ts";
import { describeFailure } from "./describe-failure.ts";
import { openFile, positionTypes, scratchFiles, selectColumns } from "./file-reader.ts";
import { findNumberReadings } from "./number-forms.ts";
import { findQuestions } from "./open-questions.ts";
import { openWorkspace } from "./open-workspace.ts";
import { type FilePreview, type FoundInFile, type UploadPreviewTask, UploadRefused } from "./upload-tasks.ts";
import { previewUpsert } from "./upsert-rows.ts";

const maxRows = 50;
const maxCells = 5000;
const maxCharacters = 200;

/** The columns of a file with their types, and its first rows. Throws `UploadRefused`. */
export async function previewFile(
  { file, reading, namesBefore, numbersBefore, types, dateOrder, scratchFolder, upsert }: UploadPreviewTask,
  memoryBytes: number,
): Promise<FilePreview> {
  const scratch = scratchFiles(scratchFolder);
  const found: FoundInFile = { reading: {}, sheets: [] };
  const readable = [file.path, ...Object.values(scratch)];
  const workspace = await openWorkspace({
    database: upsert?.database ?? ":memory:",
    isReadOnly: upsert !== undefined,
    readable,
    memoryBytes,
  });
  try {
    const source = await openFile(workspace.connection, file, {
      reading,
      namesBefore,
      numbersBefore,
      scratch,
      found,
    });
    const { columns, ambiguousDates } = await decideColumns(workspace.connection, source, {
      types: positionTypes(source, types),
      dateOrder,
      advice: chooseAnother,
    });
    const undecided = new Set(dateOrder ? [] : ambiguousDates.map(({ column }) => column));
    const shown = columns.map((column) =>
      undecided.has(column.name) ? { ...column, type: "VARCHAR" } : column,
    );
    const limit = Math.max(1, Math.min(maxRows, Math.floor(maxCells / Math.max(1, columns.length))));
    const reader = await workspace.connection.runAndReadAll(
      sql`SELECT left(CAST(COLUMNS(*) AS VARCHAR), ${maxCharacters}) FROM (${selectColumns(source, shown)} LIMIT ${limit})`,
    );
    const rows = reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value))));
    return {
      columns,
      reading: source.reading ?? {},
      hasNamesAsBefore: source.hasNamesAsBefore ?? false,
      questions: findQuestions(source, columns),
      renamed: source.renamed ?? [],
      sheets: source.sheets ?? [],
      notes: source.notes ?? [],
      numberReadings: await findNumberReadings(workspace.connection, source, columns),
      rows,
      ambiguousDates,
      ...(upsert && (await previewUpsert(workspace.connection, source, { ...upsert, types, dateOrder }))),
    };
  } catch (error) {
    const failure = await describeFailure(error, { file, scratch, database: upsert?.database });
    if (failure instanceof UploadRefused) failure.found = found;
    throw failure;
  } finally {
    workspace.close();
  }
}

export const chooseAnother = "Choose another type for the column, or correct the file.";
