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
export type DatabaseTable = Omit<ListedTable, "columns"> &
  Described & {
    columns: DescribedColumn[];
    /** The chart whose result it is. What columns that has is known when it runs. */
    chart?: string;
  };

/** The results of charts as tables, for queries on uploads. */
export const tablesOfCharts = (charts: Outputs["queries"]["chartTables"]): DatabaseTable[] =>
  charts.map(({ shortId, title, table }) => {
    const [schema = "", name = ""] = table.split(".");
    return { schema, name, columns: [], about: title, chart: shortId };
  });

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
  // A database can have thousands of columns: most have neither, and are not copied.
  const describe = <Item extends { comment?: string | undefined }>(
    item: Item,
    ...names: string[]
  ): Item & Described => {
    const description = found.size === 0 ? undefined : found.get(keyOf(...names));
    const about = description ?? item.comment;
    if (about === undefined) return item;
    return description === undefined ? { ...item, about } : { ...item, description, about };
  };
  return tables.map((table) => ({
    ...describe(table, table.schema, table.name, ""),
    columns: table.columns.map((column) => describe(column, table.schema, table.name, column.name)),
  }));
}
