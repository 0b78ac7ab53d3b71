import type { Caller, ListDefinitions, ParameterDefinition } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { readDefinitions } from "../runs/parameter-definitions.ts";
import { getQueryRow } from "./get-query.ts";

/** The definitions that a run would use for these parameters. Undefined parameters are left out. */
export async function listDefinitions(
  deps: Deps,
  caller: Caller,
  { id, names }: ListDefinitions,
): Promise<ParameterDefinition[]> {
  await getQueryRow(deps, caller, id);
  return readDefinitions(deps.db.prisma, { queryId: id, names });
}
