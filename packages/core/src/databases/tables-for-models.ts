import { type Caller, DatabaseTable, type ListTables, shorten } from "@querybell/domain";
import type { WaitOptions } from "@querybell/engine-hosts";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { toPlain } from "../plain-text.ts";
import { listTables } from "./probe-database.ts";
import { listDescriptions } from "./table-descriptions.ts";

const About = z.string().optional().describe("What people or the database say about it");

/** A table as a model reads about it. */
export const TableForModels = DatabaseTable.omit({ comment: true }).extend({
  about: About,
  columns: z.array(z.object({ name: z.string(), type: z.string(), about: About })),
  moreColumns: z.int().optional().describe("How many columns it has besides these"),
});
export type TableForModels = z.infer<typeof TableForModels>;

const maxTables = 100;
const maxColumns = 100;
/** The type of a nested column can be as long as a table. */
const maxTypeLength = 60;
const maxAboutLength = 200;
/** The maximum length of all tables as JSON, so that a model can read the answer. One table always fits. */
const maxCharacters = 18_000;

/** The tables of a database with what people say about them or, where they say nothing, the database's comments. */
export async function readTablesForModels(
  deps: Deps,
  caller: Pick<Caller, "organizationId">,
  list: ListTables & WaitOptions,
): Promise<TableForModels[]> {
  const [tables, descriptions] = await Promise.all([
    listTables(deps, caller, list),
    listDescriptions(deps, caller, list),
  ]);
  const keyOf = (...names: string[]) => names.join("\0");
  const described = new Map(
    descriptions.map(({ schema, table, column, description }) => [
      keyOf(schema, table, column ?? ""),
      description,
    ]),
  );
  const aboutOf = (key: string, comment: string | undefined) => {
    const about = described.get(key) ?? comment;
    return about === undefined ? {} : { about: shorten(about, maxAboutLength) };
  };
  return tables.map(({ schema, name, comment, columns }) => {
    const shown = columns.slice(0, maxColumns).map((column) => ({
      name: column.name,
      type: shorten(column.type, maxTypeLength),
      ...aboutOf(keyOf(schema, name, column.name), column.comment),
    }));
    const moreColumns = columns.length - shown.length;
    return {
      schema,
      name,
      ...aboutOf(keyOf(schema, name, ""), comment),
      columns: shown,
      ...(moreColumns > 0 && { moreColumns }),
    };
  });
}

/** As many of the tables as a model can read, in their order. */
export function takeFittingTables(tables: readonly TableForModels[]): TableForModels[] {
  let characters = 0;
  return tables
    .slice(0, maxTables)
    .map(withinHalf)
    .filter((table) => {
      characters += JSON.stringify(table).length;
      return characters <= maxCharacters;
    });
}

/** A table whose descriptions would take the place of all others has only its own. */
const withinHalf = (table: TableForModels): TableForModels =>
  JSON.stringify(table).length <= maxCharacters / 2 || !table.columns.some(({ about }) => about !== undefined)
    ? table
    : { ...table, columns: table.columns.map(({ name, type }) => ({ name, type })) };

/** A table for the model. Names, types and descriptions are data too. */
export const toPlainTable = ({ schema, name, about, columns, moreColumns }: TableForModels) => ({
  schema: toPlain(schema, 200),
  name: toPlain(name, 200),
  ...(about !== undefined && { about: toPlain(about, maxAboutLength + 1) }),
  columns: columns.map((column) => {
    const typed = `${toPlain(column.name, 200)} ${toPlain(column.type, 100)}`;
    return column.about === undefined ? typed : `${typed} (${toPlain(column.about, maxAboutLength + 1)})`;
  }),
  ...(moreColumns !== undefined && { moreColumns }),
});
