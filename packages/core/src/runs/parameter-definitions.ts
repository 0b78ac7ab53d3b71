import type { Tx } from "@querybell/db";
import { ParameterDefinition } from "@querybell/domain";
import { referenceNotFound } from "../references/lock-reference.ts";

/**
 * The definitions of a query's parameters: those of the chosen reference first, then of the others, oldest
 * first. Of several for one name, the first counts.
 */
export async function readDefinitions(
  tx: Pick<Tx, "queryReference">,
  queryId: string,
  shortId?: string | undefined,
): Promise<ParameterDefinition[]> {
  const references = await tx.queryReference.findMany({
    where: { queryId, deletedAt: null },
    orderBy: [{ createdAt: "asc" }, { id: "asc" }],
    select: { shortId: true, parameters: true },
  });
  const chosen = references.find((reference) => reference.shortId === shortId);
  if (shortId !== undefined && !chosen) throw referenceNotFound();
  const ordered = chosen ? [chosen, ...references.filter((reference) => reference !== chosen)] : references;
  return firstOfEachName(ordered.flatMap(({ parameters }) => ParameterDefinition.array().parse(parameters)));
}

export function firstOfEachName(definitions: ParameterDefinition[]): ParameterDefinition[] {
  const byName = new Map<string, ParameterDefinition>();
  for (const definition of definitions) {
    if (!byName.has(definition.name)) byName.set(definition.name, definition);
  }
  return [...byName.values()];
}
