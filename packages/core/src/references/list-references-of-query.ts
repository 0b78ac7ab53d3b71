import type { Caller, QueryId, ReferenceOfQuery } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { getQueryRow } from "../queries/get-query.ts";
import { toReferenceOfQuery } from "./reference-row.ts";

const maxReferences = 200;

/** Lists the references of a query, oldest first, which is the order in which they define its parameters. */
export async function listReferencesOfQuery(
  deps: Deps,
  caller: Caller,
  { id }: QueryId,
): Promise<ReferenceOfQuery[]> {
  await getQueryRow(deps, caller, id);
  const rows = await deps.db.prisma.queryReference.findMany({
    where: { queryId: id, organizationId: caller.organizationId, deletedAt: null },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    take: maxReferences,
    // Both can be long and are not needed here.
    omit: { parameters: true, visualization: true },
  });
  return rows.map(toReferenceOfQuery);
}
