import { FileReading } from "@querybell/domain/file-reading";
import { Text } from "@querybell/domain/text";
import { dateOrders, numberForms, uploadFormats } from "@querybell/domain/upload-formats";
import { z } from "zod";

export const maxColumns = 1000;
export const maxSheets = 1000;

/** The path and format of an uploaded file. */
export const UploadedFile = z.object({
  path: z.string(),
  format: z.enum(uploadFormats),
  /** What it may take on the disk while it is read, if it is packed or in another encoding. */
  maxUnpackedBytes: z.int(),
});
export type UploadedFile = z.infer<typeof UploadedFile>;

/** The types that a user chose, by column. The others are guessed. */
const ChosenTypes = z.record(z.string(), z.string());
export type ChosenTypes = z.infer<typeof ChosenTypes>;

/** How dates such as 01/02/2024 are read: day, month, year, or month, day, year. */
export const DateOrder = z.enum(dateOrders);
export type DateOrder = z.infer<typeof DateOrder>;

/** The line with the names in the files that a table was made of, and the table's columns. */
const NamesBefore = z.object({ header: z.int().min(0), columns: z.array(z.string()).max(maxColumns) });
export type NamesBefore = z.infer<typeof NamesBefore>;

/** A user's choices for a file: how it is read, types of columns, and the order of ambiguous dates. */
const choices = {
  reading: FileReading,
  /** Used if `reading` does not say where the names are, and that line of the file has them. */
  namesBefore: NamesBefore.optional(),
  /** Used if `reading` does not say how numbers are written, for the columns that the file has. */
  numbersBefore: FileReading.shape.numbers,
  types: ChosenTypes,
  dateOrder: DateOrder.optional(),
};

/** The columns that tell which row of a table a row of a file is. */
const Key = z.array(z.string()).max(maxColumns);

export const UploadPreviewTask = z.object({
  file: UploadedFile,
  ...choices,
  /** A folder for files that only this preview uses. */
  scratchFolder: z.string(),
  /** The table that would be updated, and its database file. The preview then shows what would change. */
  upsert: z.object({ database: z.string(), table: z.string(), key: Key }).optional(),
});
export type UploadPreviewTask = z.infer<typeof UploadPreviewTask>;

/** A change of one table, or the tables of the sample shop, in a database file that only the host uses. */
export const TableChange = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("import"),
    mode: z.enum(["create", "replace", "append", "upsert"]),
    table: z.string(),
    /** For `upsert`. */
    key: Key,
    file: UploadedFile,
    ...choices,
  }),
  z.object({ kind: z.literal("drop"), table: z.string() }),
  z.object({ kind: z.literal("create_sample_shop"), lastDay: z.iso.date() }),
]);
export type TableChange = z.infer<typeof TableChange>;

/** A column of a file or of a table. `dateOrder` is set where its dates came with the day or the month first. */
const Column = z.object({ name: Text, type: Text, dateOrder: DateOrder.optional() });
export type Column = z.infer<typeof Column>;
const Columns = z.array(Column).max(maxColumns);

/** A column whose dates can be read in both orders, with one of them as it is written and as it is read in each. */
const AmbiguousDates = z.object({
  column: z.string(),
  written: z.string(),
  dmy: z.string(),
  mdy: z.string(),
});
export type AmbiguousDates = z.infer<typeof AmbiguousDates>;

/** A column that has another name than in the file, where it had none, or one that an earlier column has. */
const RenamedColumn = z.object({ position: z.int(), from: Text, to: Text });
export type RenamedColumn = z.infer<typeof RenamedColumn>;
const RenamedColumns = z.array(RenamedColumn).max(maxColumns);

/** A column of texts that can be read as numbers, with one of them as it is written and as it is read. */
const NumberReading = z.object({
  column: z.string(),
  form: z.enum(numberForms),
  written: z.string(),
  read: z.string(),
});
export type NumberReading = z.infer<typeof NumberReading>;

/** What a file does not show and the person who sent it has to say, with a sentence about it. */
const OpenQuestion = z.object({ about: z.enum(["encoding", "header", "sheet"]), message: Text });
export type OpenQuestion = z.infer<typeof OpenQuestion>;

const Count = z.int().nonnegative();

/** How an upsert changes a table: the numbers of rows, and some of the values that change. */
export const TableUpdate = z.object({
  added: Count,
  changed: Count,
  unchanged: Count,
  /** Rows that the file does not have. */
  kept: Count,
  samples: z
    .array(
      z.object({
        key: z.array(Text).max(maxColumns),
        column: Text,
        before: Text.nullable(),
        after: Text.nullable(),
      }),
    )
    .max(20),
});
export type TableUpdate = z.infer<typeof TableUpdate>;

/** The columns of an uploaded file, and its first rows as text. */
export const FilePreview = z.object({
  columns: Columns,
  /** How the file was read: as it was asked for, or as it was found. */
  reading: FileReading,
  /** Whether the names are in the line where they were in the table's files before. */
  hasNamesAsBefore: z.boolean(),
  questions: z.array(OpenQuestion).max(10),
  renamed: RenamedColumns,
  sheets: z.array(Text).max(maxSheets),
  /** What else to know of the file, as sentences. */
  notes: z.array(Text).max(10),
  numberReadings: z.array(NumberReading).max(maxColumns * numberForms.length),
  rows: z.array(z.array(z.string().nullable()).max(maxColumns)).max(50),
  /** The columns that need a `dateOrder` to be imported. Without it, their rows are shown as they are written. */
  ambiguousDates: z.array(AmbiguousDates).max(maxColumns),
  /** Of a preview of an upsert: what would change, or why it would be refused. */
  update: TableUpdate.optional(),
  updateRefusal: Text.optional(),
});
export type FilePreview = z.infer<typeof FilePreview>;

export const StoredTable = z.object({
  name: Text,
  columns: Columns,
  rowCount: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
});
export type StoredTable = z.infer<typeof StoredTable>;

/** After a change: the changed table, unless it was dropped or there are several, and the bytes that all tables use in the file. */
export const ChangedTables = z.object({
  table: StoredTable.nullable(),
  usedBytes: z.int().nonnegative(),
  /** Of an import. */
  renamed: RenamedColumns,
  /** Of an import: whether the names were in the line where they were in the table's files before. */
  hasNamesAsBefore: z.boolean(),
  /** Of an upsert. */
  update: TableUpdate.optional(),
});
export type ChangedTables = z.infer<typeof ChangedTables>;

/** What is known of a file that cannot be read, so that it can be tried in another way. */
const FoundInFile = z.object({
  /** How it was tried. */
  reading: FileReading,
  sheets: z.array(Text).max(maxSheets),
  /** The line that looks like the names of the columns. */
  suggestedHeader: z.int().optional(),
  /** The column whose values are no numbers in its form, and the forms in which all of them are. */
  misread: z
    .object({ column: Text, numberReadings: z.array(NumberReading).max(numberForms.length) })
    .optional(),
});
export type FoundInFile = z.infer<typeof FoundInFile>;

/** Why a file or a change is refused. The message is for the person who sent it. */
export const UploadRefusal = z.object({
  reason: z.enum(["unreadable", "conflict", "not_found", "disk_full"]),
  message: z.string(),
  /** Of a preview. */
  found: FoundInFile.optional(),
});
export type UploadRefusal = z.infer<typeof UploadRefusal>;

/** Thrown in a host. The caller gets its reason and message. */
export class UploadRefused extends Error {
  override readonly name = "UploadRefused";
  readonly reason: UploadRefusal["reason"];
  found?: FoundInFile;

  constructor(reason: UploadRefusal["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
