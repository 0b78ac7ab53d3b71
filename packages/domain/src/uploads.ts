import { z } from "zod";
import { FileReading } from "./file-reading.ts";
import { Id } from "./ids.ts";
import { nameUpTo } from "./text.ts";
import { Timestamp } from "./time.ts";
import { columnTypes, dateOrders, numberForms, uploadFormats } from "./upload-formats.ts";

export const UploadFormat = z.enum(uploadFormats);
export type UploadFormat = z.infer<typeof UploadFormat>;

const ColumnType = z.enum(columnTypes);

const systemNames = /^(duckdb_|sqlite_|pg_|pragma_|information_schema$)/i;

/** A name that needs no quotes in SQL. The database refuses reserved words later. */
export const TableName = z
  .string()
  .min(1, "must not be empty")
  .max(63, "must have at most 63 characters")
  .regex(/^[\p{L}_][\p{L}\p{N}_]*$/u, "must have letters, digits and _ only, and must not begin with a digit")
  .refine((name) => !systemNames.test(name), "must not begin like a name of the database's own")
  .meta({ examples: ["sales"] });

/** DuckDB refuses them as names of tables. */
const reservedWords = new Set(
  `all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create default
  deferrable desc describe distinct do else end except false fetch for foreign from group having in initially intersect
  into lambda lateral leading limit not null offset on only or order pivot pivot_longer pivot_wider placing primary
  qualify references returning select show some summarize symmetric table then to trailing true union unique unpivot
  using variadic when where window with`.split(/\s+/),
);

/** Suggests a table name for a file: the file's name without characters that a table name cannot have. */
export function suggestTableName(fileName: string): string {
  const stem = fileName.replace(/\.gz$/i, "").replace(/\.[^.]*$/, "");
  const plain = stem
    .normalize("NFC")
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replace(/^_/, "")
    .replace(/_$/, "")
    .toLowerCase()
    .slice(0, 60);
  const needsPrefix = /^\p{N}/u.test(plain) || reservedWords.has(plain);
  const { data } = TableName.safeParse(needsPrefix ? `t_${plain}` : plain);
  return data ?? "uploaded";
}

const FileName = nameUpTo(200).meta({ examples: ["sales.csv"] });

const DateOrder = z
  .enum(dateOrders)
  .describe("How dates such as 01/02/2024 are read: `dmy` is 1 February, `mdy` is 2 January");

const Column = z.object({
  name: z.string(),
  type: z.string().describe("In DuckDB's words"),
  dateOrder: DateOrder.optional().describe("Set where dates came with the day or the month first"),
});

/** A file that was uploaded and waits to be imported. */
export const Upload = z.object({
  id: Id,
  fileName: z.string(),
  format: UploadFormat,
  bytes: z.int(),
  createdAt: Timestamp,
  expiresAt: Timestamp.describe("It is deleted then, if it was not imported"),
});
export type Upload = z.infer<typeof Upload>;

export const UploadId = z.strictObject({ id: Id });
export type UploadId = z.infer<typeof UploadId>;

const ChosenTypes = z
  .record(z.string().max(200), ColumnType)
  .default({})
  .describe("Types by column, where the guessed one should be another")
  .meta({ examples: [{ zip: "VARCHAR" }] });

const GivenDateOrder = DateOrder.optional().describe(
  "How dates such as 01/02/2024 are read in columns whose values do not tell: `dmy` is 1 February, `mdy` is 2 January",
);

const GivenReading = FileReading.default({}).describe(
  "How the file is read. What is left out is read as the table remembers it (`header` only if that line names most of the table's columns), or as the file shows it",
);

const Key = z
  .array(z.string().min(1).max(200))
  .max(20)
  .default([])
  .describe(
    "For `upsert`: the columns that tell which row of the table a row of the file is. Empty: those of the last time",
  )
  .meta({ examples: [["id"]] });

export const PreviewUpload = UploadId.extend({
  table: TableName.optional().describe("A table whose remembered reading is used"),
  mode: z.literal("upsert").optional().describe("With it, the answer says what an import would change"),
  key: Key,
  reading: GivenReading,
  types: ChosenTypes,
  dateOrder: GivenDateOrder,
  answersRefusal: z
    .boolean()
    .optional()
    .describe("A file that cannot be read is answered with `refusal`, not with an error"),
});
export type PreviewUpload = z.infer<typeof PreviewUpload>;

const Renamed = z
  .array(
    z.object({
      position: z.int().describe("Of the column, from 1"),
      from: z.string().describe("The name in the file; empty if it has none there"),
      to: z.string(),
    }),
  )
  .describe("Columns without a name, or with the name of an earlier one, and the names that they got");

const TableUpdate = z.object({
  added: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  kept: z.int().describe("Rows of the table that the file does not have"),
  samples: z
    .array(
      z.object({
        key: z.array(z.string()),
        column: z.string(),
        before: z.string().nullable(),
        after: z.string().nullable(),
      }),
    )
    .describe("Some values that change, up to 20"),
});

export const UploadPreview = z.object({
  columns: z.array(Column),
  reading: FileReading.describe("How the file was read"),
  remembered: FileReading.describe("What of `reading` is as in the files of the table before"),
  questions: z
    .array(z.object({ about: z.enum(["encoding", "header", "sheet"]), message: z.string() }))
    .describe("What the file does not show, so that `reading` must have it to import the file"),
  renamed: Renamed,
  sheets: z.array(z.string()).describe("The sheets of an Excel file"),
  notes: z.array(z.string()).describe("What else to know of the file, such as merged cells"),
  numberReadings: z
    .array(
      z.object({
        column: z.string(),
        form: z.enum(numberForms).describe("To send in `reading.numbers`"),
        written: z.string().describe("A value as it is in the file"),
        read: z.string().describe("The same, read in this form"),
      }),
    )
    .describe("Columns of texts that can be read as numbers, also those that are, in each way that fits"),
  rows: z.array(z.array(z.string().nullable())).describe("The first rows, as text of up to 200 characters"),
  ambiguousDates: z
    .array(
      z.object({
        column: z.string(),
        written: z.string().describe("A date as it is in the file"),
        dmy: z.string().describe("The same, read with the day first"),
        mdy: z.string().describe("The same, read with the month first"),
      }),
    )
    .describe(
      "Columns whose dates can be read in both orders, so that `dateOrder` must be sent to import them, unless the table remembers it",
    ),
  dateOrder: DateOrder.optional().describe("How they are read: as it was sent, or as the table remembers it"),
  update: TableUpdate.optional().describe("What an upsert would change"),
  updateRefusal: z.string().optional().describe("Why an upsert would be refused"),
  suggestedTable: z.string(),
  refusal: z
    .object({
      message: z.string(),
      suggestedHeader: z.int().optional().describe("The line that looks like the names of the columns"),
      column: z
        .string()
        .optional()
        .describe(
          "The column whose values are not written in its form. `numberReadings` has the forms that fit it, and `reading.numbers` those that were tried",
        ),
    })
    .optional()
    .describe("Why the file cannot be read. There are no columns and rows then"),
});
export type UploadPreview = z.infer<typeof UploadPreview>;

export const ImportMode = z
  .enum(["create", "replace", "append", "upsert"])
  .describe(
    "`create` makes a new table, `replace` puts the file's rows in the place of a table if there is one, `append` adds them to a table with the same columns, `upsert` changes the rows with the same `key` and adds the others, or makes the table",
  );
export type ImportMode = z.infer<typeof ImportMode>;

export const ImportUpload = UploadId.extend({
  table: TableName,
  mode: ImportMode.default("create"),
  key: Key,
  reading: GivenReading,
  types: ChosenTypes,
  dateOrder: GivenDateOrder,
});
export type ImportUpload = z.infer<typeof ImportUpload>;

/** The parameters of `POST /api/uploads`, whose body is the file. */
export const SendUpload = z.strictObject({
  name: FileName,
  format: UploadFormat.optional(),
  table: TableName.optional(),
  mode: ImportMode.optional(),
  // One parameter for each column.
  key: z
    .union([z.string().transform((name) => [name]), z.array(z.string())])
    .pipe(Key.unwrap())
    .default([]),
  dryRun: z.enum(["true", "false"]).optional(),
  dateOrder: GivenDateOrder,
  ...FileReading.pick({ encoding: true, delimiter: true, sheet: true }).shape,
  // A parameter of an address is a text.
  header: z
    .string()
    .regex(/^[0-9]{1,4}$/, "must be a whole number")
    .transform(Number)
    .pipe(FileReading.shape.header.unwrap())
    .optional(),
});
export type SendUpload = z.infer<typeof SendUpload>;

export const DropTable = z.strictObject({
  table: z
    .string()
    .min(1)
    .max(63)
    .meta({ examples: ["sales"] }),
});
export type DropTable = z.infer<typeof DropTable>;

export const UploadedTable = z.object({
  name: z.string(),
  columns: z.array(Column),
  rowCount: z.int(),
  bytes: z.int().describe("What it takes in the database's file, about"),
  fileName: z.string().describe("The file that was imported last"),
  reading: FileReading.describe("How it was read. Later files are read in the same way"),
  key: z.array(z.string()).describe("The key of the last upsert"),
  updatedBy: z.object({ userId: Id, name: z.string() }).nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type UploadedTable = z.infer<typeof UploadedTable>;

/** A table after an import. */
export const ImportedTable = UploadedTable.extend({
  renamed: Renamed,
  update: TableUpdate.optional().describe("What an upsert has changed"),
});
export type ImportedTable = z.infer<typeof ImportedTable>;

/** Everything about an organization's uploads. */
export const UploadsOverview = z.object({
  databaseId: Id.describe("The analytical database that holds the tables"),
  tables: z.array(UploadedTable),
  waiting: z.array(Upload).describe("Files that wait to be imported"),
  usedBytes: z.int().describe("What the tables and the waiting files take"),
  quotaBytes: z.int(),
  maxFileBytes: z.int(),
  mayChange: z.boolean().describe("Whether the caller may upload, change and drop"),
});
export type UploadsOverview = z.infer<typeof UploadsOverview>;
