import type { FileReading } from "@querybell/domain/file-reading";
import { foldName } from "@querybell/domain/upload-formats";
import { sql, type TrustedSql } from "../duckdb/trusted-sql.ts";
import type { ValueType } from "./exact-values.ts";
import {
  type FoundInFile,
  maxColumns,
  type NamesBefore,
  type OpenQuestion,
  type RenamedColumn,
  UploadRefused,
} from "./upload-tasks.ts";

/** How a file with a line of names is to be read. */
export interface AskedReading extends FileReading {
  namesBefore?: NamesBefore | undefined;
  /** Filled with what is known of the file, also if it is refused. */
  found: FoundInFile;
}

/** The values of an uploaded file, as expressions of SQL on `from`. A column is named by its position. */
export interface FileSource {
  names: string[];
  /** The number of rows, if DuckDB might leave out some of them. */
  rowCount?: number;
  /** The relation with the values. */
  from: TrustedSql;
  /** The types of a file that has types. Undefined where they are guessed from the texts. */
  ownTypes?: string[];
  /** The type that holds values of every kind. */
  textType: "VARCHAR" | "JSON";
  /** The value as text. */
  text(column: number): TrustedSql;
  /** The columns of `from` that hold the text, where texts can be read as numbers. */
  textColumns?: (column: number) => TrustedSql[];
  /** The unit that all numbers of a column have, where texts are read as numbers. Empty if they have none. */
  units?: ReadonlyMap<number, string>;
  /** The file with its texts as they are written, where some are read as numbers. */
  written?: FileSource;
  /** Whether the value is a text, in a file that has numbers too. */
  isText?: (column: number) => TrustedSql;
  /** What a value looks like (see guess-type.ts), if types are guessed. */
  look(column: number): TrustedSql;
  /** Whether a type holds a value exactly. */
  holds(column: number, target: ValueType): TrustedSql;
  /** The value in a type that holds it. */
  cast(column: number, target: ValueType): TrustedSql;
  /** The place of a row in the file, for a sentence: `Line 3`. Rows are counted from 1. */
  placeOf(row: number): Promise<string>;
  /** How the file is read, as far as there is a choice. */
  reading?: FileReading;
  /** Whether the names are in the line where they were in the table's files before. */
  hasNamesAsBefore?: boolean;
  /** What the file does not show. */
  questions?: OpenQuestion[];
  renamed?: RenamedColumn[];
  /** What is taken for names, unless somebody has said that it is. */
  supposedNames?: {
    /** For a sentence: `Line 1`. */
    place: string;
    line: number;
    values: string[];
  };
  /** The sheets of an Excel file. */
  sheets?: string[];
  /** What else to know of the file, as sentences. */
  notes?: string[];
}

export const firstRowCount = 20_000;

/** The first rows of a file. They often decide what the whole file would. */
export const firstRowsOf = (source: FileSource): FileSource => ({
  ...source,
  from: sql`(SELECT * FROM ${source.from} LIMIT ${firstRowCount})`,
});

/** The positions of columns by their folded names. */
export const positionsOf = (names: readonly string[]): ReadonlyMap<string, number> =>
  new Map(names.map((name, position) => [foldName(name), position]));

interface NamedColumns {
  names: string[];
  renamed: RenamedColumn[];
}

/** Names for all columns. One without a name, or with a name that an earlier one has, gets another. */
export function nameColumns(given: readonly string[]): NamedColumns {
  checkSizes(given);
  const named = makeDistinct(given);
  checkColumns(named.names);
  return named;
}

function makeDistinct(given: readonly string[]): NamedColumns {
  const reserved = new Set(given.map(foldName));
  const used = new Set<string>();
  /** The next number for a name. A line of one name a thousand times would be slow if each counted from 2. */
  const numbers = new Map<string, number>();
  const renamed: RenamedColumn[] = [];
  const names = given.map((from, index) => {
    let to = from;
    let number = from === "" ? 2 : (numbers.get(foldName(from)) ?? 2);
    for (; to === "" || used.has(foldName(to)); number++) {
      const next =
        from === "" ? `column_${index + 1}${number > 2 ? `_${number - 1}` : ""}` : `${from}_${number}`;
      to = reserved.has(foldName(next)) ? to : next;
    }
    numbers.set(foldName(from), number);
    if (to !== from) renamed.push({ position: index + 1, from, to });
    used.add(foldName(to));
    return to;
  });
  return { names, renamed };
}

/** Whether a line of a file names most of a table's columns. */
export function namesMostOf(columns: readonly string[], line: readonly string[]): boolean {
  // A line of values can be longer than names can be.
  const { names } = makeDistinct(
    line.slice(0, maxColumns).map((name) => name.trim().slice(0, maxNameLength + 1)),
  );
  const named = positionsOf(names);
  return columns.filter((column) => named.has(foldName(column))).length * 2 > columns.length;
}

const maxNameLength = 200;

const refuse = (message: string): never => {
  throw new UploadRefused("unreadable", message);
};

/** Refuses more or longer names than a table can have, before anything is done with them. */
function checkSizes(names: readonly string[]): void {
  if (names.length > maxColumns)
    refuse(`The file has ${names.length} columns. At most ${maxColumns} are possible.`);
  const position = names.findIndex((name) => name.length > maxNameLength) + 1;
  if (position === 0) return;
  refuse(
    `The name of column ${position} has ${names[position - 1]?.length} characters. At most ${maxNameLength} are possible.`,
  );
}

/** Refuses columns that a table cannot have or that a query cannot name. */
export function checkColumns(names: readonly string[]): void {
  checkSizes(names);
  const seen = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const position = index + 1;
    if (name === "") refuse(`Column ${position} has no name. Give it one, and upload the file again.`);
    if (name.includes("\0")) refuse(`The name of column ${position} contains a NUL character. Remove it.`);
    const earlier = seen.get(foldName(name));
    if (earlier !== undefined) {
      refuse(
        `Columns ${earlier} and ${position} have the same name, ${name}. Rename one of them in the file.`,
      );
    }
    seen.set(foldName(name), position);
  }
}
