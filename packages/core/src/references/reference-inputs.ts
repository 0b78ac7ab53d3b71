import type { Caller, ReferenceShortId, ReferenceWithInputs } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readStatementInputs } from "../queries/parameters.ts";
import { getReference } from "./get-reference.ts";

/** The reference of a permalink with what its page shows for the values of its query's placeholders. */
export async function getReferenceWithInputs(
  deps: Deps,
  caller: Caller,
  named: ReferenceShortId,
): Promise<ReferenceWithInputs> {
  const reference = await getReference(deps, caller, named);
  const { currentQuery, shortId } = reference;
  const inputs = currentQuery
    ? await readStatementInputs(deps.db.prisma, { queryId: currentQuery.id, sql: currentQuery.sql, shortId })
    : { definitions: [], choices: {}, ranges: [] };
  return { ...reference, inputs };
}
