import type { Outputs } from "@querybell/client";

type ListedTable = Outputs["databases"]["tables"][number];
type Description = Outputs["databases"]["descriptions"][number];

interface Described {
  /** What people have written in Querybell. */
  description?: string;
  /** The description or, if there is none, the comment of the database. */
  about?: string;
}

type DescribedColumn = ListedTable["columns"][number] & Described;

/** A table of a database, with what is known about it. */
export type DatabaseTable = Omit<ListedTable, "columns"> & Described & { columns: DescribedColumn[] };

/** Adds what people have written to the tables of a database. */
export function describeTables(
  tables: readonly ListedTable[],
  descriptions: readonly Description[],
): DatabaseTable[] {
  const keyOf = (...names: string[]) => names.join("\0");
  const found = new Map(
    descriptions.map(({ schema, table, column, description }) => [
      keyOf(schema, table, column ?? ""),
      description,
    ]),
  );
  const describe = (key: string, comment: string | undefined): Described => {
    const description = found.get(key);
    const about = description ?? comment;
    return { ...(description !== undefined && { description }), ...(about !== undefined && { about }) };
  };
  return tables.map((table) => ({
    ...table,
    ...describe(keyOf(table.schema, table.name, ""), table.comment),
    columns: table.columns.map((column) => ({
      ...column,
      ...describe(keyOf(table.schema, table.name, column.name), column.comment),
    })),
  }));
}
