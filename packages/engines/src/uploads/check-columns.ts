import { maxColumns, UploadRefused } from "./upload-tasks.ts";

const maxNameLength = 200;

/** Refuses columns that a table cannot have or that a query cannot name. */
export function checkColumns(names: readonly string[]): void {
  const refuse = (message: string) => {
    throw new UploadRefused("unreadable", message);
  };
  if (names.length > maxColumns)
    refuse(`The file has ${names.length} columns. At most ${maxColumns} are possible.`);
  const seen = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const position = index + 1;
    if (name === "") refuse(`Column ${position} has no name. Give it one, and upload the file again.`);
    if (name.length > maxNameLength) {
      refuse(
        `The name of column ${position} has ${name.length} characters. At most ${maxNameLength} are possible.`,
      );
    }
    if (name.includes("\0")) refuse(`The name of column ${position} contains a NUL character. Remove it.`);
    // Names of SQL do not distinguish upper and lower case.
    const earlier = seen.get(name.toLowerCase());
    if (earlier !== undefined) {
      refuse(
        `Columns ${earlier} and ${position} have the same name, ${name}. Rename one of them in the file.`,
      );
    }
    seen.set(name.toLowerCase(), position);
  }
}
