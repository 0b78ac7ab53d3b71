import type { FileSource } from "./file-source.ts";
import { type Column, type OpenQuestion, UploadRefused } from "./upload-tasks.ts";

export const looksLikeValue = /^[-+]?\d+(?:[.,]\d+)*$|^\d{4}-\d{2}-\d{2}|^\d{1,2}[./-]\d{1,2}[./-]\d{4}$/;
const shownNames = 3;

/** What the person who sent a file has to say before it can be imported. */
export function findQuestions(source: FileSource, columns: readonly Column[]): OpenQuestion[] {
  const about = askAboutNames(source, columns);
  return [...(source.questions ?? []), ...(about ? [about] : [])];
}

/** A line of names that has a number or a date, above a column of such, can be a row of values. */
function askAboutNames(
  { supposedNames, rowCount }: FileSource,
  columns: readonly Column[],
): OpenQuestion | undefined {
  if (!supposedNames) return undefined;
  const { place, line, values } = supposedNames;
  const isText = (type = "VARCHAR") => type === "VARCHAR" && rowCount !== 0;
  const isOdd = values.some((name, column) => looksLikeValue.test(name) && !isText(columns[column]?.type));
  if (!isOdd) return undefined;
  const more = values.length > shownNames ? " …" : "";
  return {
    about: "header",
    message: `${place} can have names or values: ${values.slice(0, shownNames).join(", ")}${more}. Send header: ${line} if it names the columns, or header: 0 if the file has no names.`,
  };
}

/**
 * A title is in the first column, and names half of the columns at most. A line of names may have a gap there, above
 * the names of the rows.
 */
export function askAboutTitle(
  unit: "Line" | "Row",
  line: number,
  names: readonly string[],
  suggested?: number,
): OpenQuestion[] {
  const named = names.filter((name) => name !== "").length;
  const isFew = names[0] === "" ? named * 2 < names.length : named * 2 <= names.length;
  if (!isFew || names.length < 2) return [];
  const probably = suggested === undefined ? "" : ` (probably ${suggested})`;
  const message = `${unit} ${line} names ${named} of ${names.length} columns. Send header with the number of the ${unit.toLowerCase()} that has the names${probably}, or ${line} if that is the one.`;
  return [{ about: "header", message }];
}

export function refuseQuestions([first]: readonly OpenQuestion[]): void {
  if (first) throw new UploadRefused("unreadable", first.message);
}
