import type { DatabaseTable } from "../../../sql/described-tables.ts";
import { quoteName } from "../../../sql/quote-name.ts";

const listedColumns = 30;

/** A first statement on a table. The columns of a wide one are not listed. */
export function toTableSql({ schema, name, columns }: DatabaseTable, defaultSchema: string): string {
  const source = schema === defaultSchema ? quoteName(name) : `${quoteName(schema)}.${quoteName(name)}`;
  const selected =
    columns.length === 0 || columns.length > listedColumns
      ? "*"
      : columns.map((column) => quoteName(column.name)).join(", ");
  return `SELECT ${selected}\nFROM ${source}\nLIMIT 100`;
}
