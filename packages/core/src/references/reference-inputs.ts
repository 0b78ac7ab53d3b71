import type { Caller, ReferenceShortId, ReferenceWithInputs } from "@querybell/domain";
import { findOpenPlaceholders } from "@querybell/statements/tokenizer";
import type { Deps } from "../deps.ts";
import { readInputs } from "../queries/parameters.ts";
import { plainDefinition, readDefinitions } from "../runs/prepare-run.ts";
import { getReference } from "./get-reference.ts";

/** The reference of a permalink with what its page shows for the values of its query's placeholders. */
export async function getReferenceWithInputs(
  deps: Deps,
  caller: Caller,
  named: ReferenceShortId,
): Promise<ReferenceWithInputs> {
  const reference = await getReference(deps, caller, named);
  const { currentQuery, shortId } = reference;
  const names = currentQuery ? findOpenPlaceholders(currentQuery.sql).slice(0, maxPlaceholders) : [];
  if (!currentQuery || names.length === 0) {
    return { ...reference, inputs: { definitions: [], choices: {}, ranges: [] } };
  }
  const { prisma } = deps.db;
  const known = await readDefinitions(prisma, { queryId: currentQuery.id, names, shortId });
  const definitions = names.map(
    (name) => known.find((one) => one.name === name) ?? plainDefinition(name, "string"),
  );
  return { ...reference, inputs: await readInputs(prisma, currentQuery.id, definitions) };
}

/** No saved statement has more. */
const maxPlaceholders = 100;
