import type { Caller, DatabaseId } from "@querybell/domain";
import type { WaitOptions } from "@querybell/engine-hosts";
import type { Deps } from "../deps.ts";
import { listSchemas } from "./probe-database.ts";
import { readTablesForModels, takeFittingTables, toPlainTable } from "./tables-for-models.ts";

interface WantedTables extends DatabaseId, WaitOptions {
  schema?: string | undefined;
  /** Only tables with this in their name. */
  contains?: string | undefined;
  /** How many tables to skip. */
  offset: number;
}

interface DescribedTables {
  tables: ReturnType<typeof toPlainTable>[];
  /** How many tables match, with those that were skipped and those that do not fit. */
  tableCount: number;
  /** Whether the engine may have left tables out: Trino lists 500 of a schema at a time. */
  mayHaveMore: boolean;
  /** Whether columns or descriptions of these tables are missing. */
  isCut: boolean;
  /** The schemas of the database, if none was named. */
  schemas: string[];
}

const enginePage = 500;

/** Tables of a database with their columns, as many as a model can read at once. */
export async function describeTables(
  deps: Deps,
  caller: Caller,
  { id, schema, contains = "", offset, signal }: WantedTables,
): Promise<DescribedTables> {
  const wanted = contains.toLowerCase();
  const all = await readTablesForModels(deps, caller, { id, schema, signal });
  const matching = all.filter(({ name }) => name.toLowerCase().includes(wanted));
  const schemas = schema === undefined ? await listSchemas(deps, caller, { id, signal }) : [];
  const shown = takeFittingTables(matching.slice(offset));
  return {
    tables: shown.map(toPlainTable),
    tableCount: matching.length,
    isCut: shown.some(
      (table, index) => table.moreColumns !== undefined || table !== matching[offset + index],
    ),
    mayHaveMore: all.length === enginePage,
    schemas,
  };
}
