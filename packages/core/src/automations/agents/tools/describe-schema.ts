import { onPool } from "@querybell/db";
import { AppError } from "@querybell/domain";
import { z } from "zod";
import { mayWriteSql } from "../../../access/may-see.ts";
import { readRights } from "../../../access/rights-cache.ts";
import { listSchemas } from "../../../databases/probe-database.ts";
import {
  readTablesForModels,
  TableForModels,
  takeFittingTables,
} from "../../../databases/tables-for-models.ts";
import { findReference, ownerOf } from "./run-reference.ts";
import type { ToolWork } from "./tool-call.ts";

interface SchemaFilter {
  /** Of a reference: the tables of its database are described. */
  shortId: string;
  schema?: string | undefined;
  /** Only tables with this in their name. */
  contains?: string | undefined;
}

export const DescribedSchema = z.object({
  tables: z.array(TableForModels),
  /** Whether there are more tables than these. */
  isCut: z.boolean(),
  /** The schemas of the database, if it has several and none was named. */
  schemas: z.array(z.string()).optional(),
});
export type DescribedSchema = z.infer<typeof DescribedSchema>;

const maxSchemas = 100;

/** The tables and columns of the database on which a reference's query runs, as many as fit. */
export async function describeSchema(
  work: ToolWork,
  { shortId, schema, contains = "" }: SchemaFilter,
): Promise<DescribedSchema> {
  const { deps, run, signal } = work;
  const found = await findReference(work, deps.db.prisma, shortId);
  if ("failure" in found) throw new AppError("not_found", found.failure.reason);
  const id = found.query.analyticalDatabaseConfigId;
  if (!mayWriteSql(await readRights(onPool(deps.db), ownerOf(run)), id)) {
    throw new AppError(
      "forbidden",
      "The owner of this automation may not look at the tables of the database.",
    );
  }
  const wanted = contains.toLowerCase();
  const all = (await readTablesForModels(deps, run, { id, schema, signal })).filter(({ name }) =>
    name.toLowerCase().includes(wanted),
  );
  const tables = takeFittingTables(all);
  const schemas = schema === undefined ? await listSchemas(deps, run, { id, signal }) : [];
  return {
    tables,
    isCut: tables.length < all.length,
    ...(schemas.length > 1 && { schemas: schemas.slice(0, maxSchemas) }),
  };
}
