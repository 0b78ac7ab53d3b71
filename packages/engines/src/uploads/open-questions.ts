import type { FileSource } from "./file-source.ts";
import { type Column, type OpenQuestion, UploadRefused } from "./upload-tasks.ts";

const looksLikeValue = /^[-+]?\d+(?:[.,]\d+)*$|^\d{4}-\d{2}-\d{2}|^\d{1,2}[./-]\d{1,2}[./-]\d{4}$/;
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

export function refuseQuestions([first]: readonly OpenQuestion[]): void {
  if (first) throw new UploadRefused("unreadable", first.message);
}
