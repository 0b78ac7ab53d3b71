import { AppError, cutText, DatabaseTable } from "@querybell/domain";
import { z } from "zod";
import { listSchemas, listTables } from "../../../databases/probe-database.ts";
import { findReference } from "./run-reference.ts";
import type { ToolWork } from "./tool-call.ts";

interface SchemaFilter {
  /** Of a reference: the tables of its database are described. */
  shortId: string;
  schema?: string | undefined;
  /** Only tables with this in their name. */
  contains?: string | undefined;
}

const DescribedTable = DatabaseTable.extend({
  moreColumns: z.int().optional().describe("How many columns it has besides these"),
});
type DescribedTable = z.infer<typeof DescribedTable>;

export const DescribedSchema = z.object({
  tables: z.array(DescribedTable),
  /** Whether there are more tables than these. */
  isCut: z.boolean(),
  /** The schemas of the database, if it has several and none was named. */
  schemas: z.array(z.string()).optional(),
});
export type DescribedSchema = z.infer<typeof DescribedSchema>;

const maxTables = 100;
const maxColumns = 100;
const maxSchemas = 100;
/** The type of a nested column can be as long as a table. */
const maxTypeLength = 60;
/** The maximum length of all tables as JSON, so that a model can read the answer. One table always fits. */
const maxCharacters = 18_000;

/** The tables and columns of the database on which a reference's query runs, as many as fit. */
export async function describeSchema(
  { deps, run, signal }: ToolWork,
  { shortId, schema, contains = "" }: SchemaFilter,
): Promise<DescribedSchema> {
  const found = await findReference(deps.db.prisma, run, shortId);
  if ("failure" in found) throw new AppError("not_found", found.failure.reason);
  const id = found.query.analyticalDatabaseConfigId;
  const wanted = contains.toLowerCase();
  const all = (await listTables(deps, run, { id, schema, signal })).filter(({ name }) =>
    name.toLowerCase().includes(wanted),
  );
  const tables = takeFitting(all.map(withFewColumns));
  const schemas = schema === undefined ? await listSchemas(deps, run, { id, signal }) : [];
  return {
    tables,
    isCut: tables.length < all.length,
    ...(schemas.length > 1 && { schemas: schemas.slice(0, maxSchemas) }),
  };
}

function withFewColumns({ columns, ...table }: DatabaseTable): DescribedTable {
  const shown = columns
    .slice(0, maxColumns)
    .map(({ name, type }) => ({ name, type: cutText(type, maxTypeLength) }));
  const moreColumns = columns.length - shown.length;
  return { ...table, columns: shown, ...(moreColumns > 0 && { moreColumns }) };
}

function takeFitting(tables: DescribedTable[]): DescribedTable[] {
  let characters = 0;
  return tables.slice(0, maxTables).filter((table) => {
    characters += JSON.stringify(table).length;
    return characters <= maxCharacters;
  });
}
