import type { Caller, ListReferences, Page, QueryId, Reference, ReferenceOfQuery } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import {
  asInSnapshot,
  listedInSnapshot,
  readSnapshotPage,
  type SnapshotDeps,
  snapshotStatement,
} from "../paging/snapshot-page.ts";
import { getQueryRow } from "../queries/get-query.ts";
import { toReferenceOfQuery } from "./get-reference.ts";

interface ListedReference {
  id: string;
  shortId: string;
  title: string;
  description: string | null;
  createdBy: string;
  createdAt: Date;
  updatedAt: Date;
  queryId: string | null;
  sql: string | null;
}

const mutableColumns = {
  title: "text",
  description: "text",
  query_id: "uuid",
  updated_at: "timestamptz",
  deleted_at: "timestamptz",
};

const text = snapshotStatement(`
  SELECT reference.id, reference.short_id AS "shortId", was.title, was.description,
    reference.created_by AS "createdBy", reference.created_at AS "createdAt", was.updated_at AS "updatedAt",
    was.query_id AS "queryId", query_was.sql
  FROM query_references reference
    CROSS JOIN LATERAL (${asInSnapshot("reference", mutableColumns)}) AS was
    LEFT JOIN queries query ON query.id = was.query_id
    LEFT JOIN LATERAL (${asInSnapshot("query", { sql: "text" })}) AS query_was ON true
  WHERE ${listedInSnapshot("reference", "was")} AND ($6::boolean IS NULL OR $6 = (was.query_id IS NULL))`);

export async function listReferences(
  deps: SnapshotDeps,
  { organizationId }: Pick<Caller, "organizationId">,
  { isOptimistic, limit, cursor }: ListReferences,
): Promise<Page<Reference>> {
  const filter = isOptimistic === undefined ? "" : `isOptimistic=${isOptimistic}`;
  const { items, ...rest } = await readSnapshotPage<ListedReference>(
    deps,
    { list: "references", organizationId, filter, limit, cursor },
    { name: "list_references", text, values: [isOptimistic] },
  );
  return { items: items.map(toListedReference), ...rest };
}

const toListedReference = ({ queryId, sql, ...row }: ListedReference): Reference => ({
  id: row.id,
  shortId: row.shortId,
  title: row.title,
  description: row.description,
  isOptimistic: queryId === null,
  createdBy: row.createdBy,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
  currentQuery: queryId === null || sql === null ? null : { id: queryId, sql },
});

const maxReferences = 200;

/** Lists the references of a query, oldest first, which is the order in which they define its parameters. */
export async function listReferencesOfQuery(
  deps: Deps,
  caller: Caller,
  { id }: QueryId,
): Promise<ReferenceOfQuery[]> {
  await getQueryRow(deps.db.prisma, caller, id);
  const rows = await deps.db.prisma.queryReference.findMany({
    where: { queryId: id, organizationId: caller.organizationId, deletedAt: null },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    take: maxReferences,
    // Both can be long and are not needed here.
    omit: { parameters: true, visualization: true },
  });
  return rows.map(toReferenceOfQuery);
}
