import { join } from "node:path";
import type { FileReading } from "@querybell/domain/file-reading";
import { columnTypes, foldName } from "@querybell/domain/upload-formats";
import type { DuckdbConnection } from "../duckdb/driver.ts";
import { sql, sqlList, sqlName, type TrustedSql } from "../duckdb/trusted-sql.ts";
import { openCsv } from "./csv-source.ts";
import { decodeFile, readChunks, unpackFile, writeChunks } from "./decode-file.ts";
import { openExcel } from "./excel/excel-source.ts";
import { type FileSource, positionsOf } from "./file-source.ts";
import { byteOrderMarkLength, readJsonLayout, toJsonLines } from "./json-array.ts";
import { type JsonUnit, openJsonLines } from "./json-lines-source.ts";
import { type AskedForms, withNumberForms } from "./number-forms.ts";
import { openParquet } from "./parquet-source.ts";
import {
  type ChosenTypes,
  type Column,
  type FoundInFile,
  type NamesBefore,
  type UploadedFile,
  UploadRefused,
} from "./upload-tasks.ts";

/** The files that can be written while a file is read. Each is made of the one before. */
export const scratchFiles = (folder: string) => ({
  unpacked: join(folder, "unpacked"),
  decoded: join(folder, "decoded"),
  rewritten: join(folder, "rewritten"),
});
export type ScratchFiles = ReturnType<typeof scratchFiles>;

interface OpenOptions extends Pick<AskedForms, "numbersBefore"> {
  reading: FileReading;
  namesBefore?: NamesBefore | undefined;
  scratch: ScratchFiles;
  /** Filled with what is known of the file, also if it is refused. */
  found?: FoundInFile;
}

/** Reads the names of the columns of a file. Refuses those that no table can have. */
export async function openFile(
  connection: DuckdbConnection,
  uploaded: UploadedFile,
  { reading, namesBefore, numbersBefore, scratch, found }: OpenOptions,
): Promise<FileSource> {
  const asked = { ...reading, namesBefore, found: found ?? { reading: {}, sheets: [] } };
  const forms = { numbers: reading.numbers, numbersBefore, found };
  const file = await unpackFile(uploaded, scratch.unpacked);
  if (file.format === "parquet") {
    if (Object.keys(reading.numbers ?? {}).length > 0) throw ofParquet();
    return openParquet(connection, file.path);
  }
  if (file.format === "excel") {
    const source = await openExcel({ ...file, target: scratch.rewritten }, asked);
    return withNumberForms(connection, source, forms);
  }
  const decoded = await decodeFile(file, reading.encoding, scratch.decoded);
  const { maxUnpackedBytes: maxBytes } = file;
  if (file.format === "csv") {
    const source = await openCsv({ ...decoded, target: scratch.rewritten, maxBytes }, asked);
    return withNumberForms(connection, source, forms);
  }
  const { path, unit } = await toLines(decoded.path, { ...file, target: scratch.rewritten });
  const source = await openJsonLines(connection, { path, unit });
  return withNumberForms(
    connection,
    {
      ...source,
      reading: { encoding: decoded.encoding },
      questions: decoded.question ? [decoded.question] : [],
    },
    forms,
  );
}

const ofParquet = () =>
  new UploadRefused(
    "unreadable",
    "The numbers of a Parquet file are read as they are, in no other form. Leave out numbers.",
  );

/** A file with one object of JSON on each line. */
async function toLines(
  path: string,
  { format, target, maxUnpackedBytes }: UploadedFile & { target: string },
): Promise<{ path: string; unit: JsonUnit }> {
  const layout = await readJsonLayout(path);
  if (layout.isList || format === "json") {
    await writeChunks(target, toJsonLines(path, layout), maxUnpackedBytes);
    return { path: target, unit: "Element" };
  }
  if (!layout.hasByteOrderMark) return { path, unit: "Line" };
  await writeChunks(target, readChunks(path, byteOrderMarkLength), maxUnpackedBytes);
  return { path: target, unit: "Line" };
}

/** The types that a user chose, by the positions of their columns. */
export function positionTypes(source: FileSource, types: ChosenTypes): Map<number, { type: string }> {
  const positions = positionsOf(source.names);
  return new Map(
    Object.entries(types).map(([name, type]) => {
      const column = positions.get(foldName(name));
      if (column === undefined) {
        throw new UploadRefused("unreadable", `The file has no column ${name}. Leave out its type.`);
      }
      // The type becomes part of a statement without quotes.
      if (!columnTypes.some((one) => one === type)) {
        throw new UploadRefused("unreadable", `${type} is no type that can be chosen.`);
      }
      return [column, { type }];
    }),
  );
}

/** A `SELECT` of all columns in the types that were decided for them. */
export function selectColumns(source: FileSource, columns: readonly Column[]): TrustedSql {
  const values = columns.map(
    (column, position) => sql`${source.cast(position, column)} AS ${sqlName(column.name)}`,
  );
  return sql`SELECT ${sqlList(values)} FROM ${source.from}`;
}
