import type { Table, TablePage } from "./engine.ts";

/** Groups rows of schema, table, column and type, sorted by table, into tables. */
export function groupColumns(rows: readonly string[][]): Table[] {
  const tables: Table[] = [];
  for (const [schema = "", name = "", column = "", type = ""] of rows) {
    const last = tables.at(-1);
    if (last?.schema === schema && last.name === name) last.columns.push({ name: column, type });
    else tables.push({ schema, name, columns: [{ name: column, type }] });
  }
  return tables;
}

/** For engines that list all tables at once. */
export const tablesOfPage = (tables: Table[], { schema, after }: TablePage): Table[] =>
  tables.filter(
    (table) =>
      (schema === undefined || table.schema === schema) && (after === undefined || table.name > after),
  );

export const schemasOf = (tables: readonly Table[]): string[] => [
  ...new Set(tables.map(({ schema }) => schema)),
];
