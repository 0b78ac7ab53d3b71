import type { Table } from "./engine.ts";

/** Makes tables of rows of schema, table, column and type that are sorted by table. */
export function groupColumns(rows: readonly string[][]): Table[] {
  const tables: Table[] = [];
  for (const [schema = "", name = "", column = "", type = ""] of rows) {
    const last = tables.at(-1);
    if (last?.schema === schema && last.name === name) last.columns.push({ name: column, type });
    else tables.push({ schema, name, columns: [{ name: column, type }] });
  }
  return tables;
}
