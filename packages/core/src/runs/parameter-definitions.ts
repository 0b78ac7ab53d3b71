import type { Tx } from "@querybell/db";
import { ParameterDefinition } from "@querybell/domain";
import type { Statement } from "@querybell/statements";
import { definesParameters, maxDefiningReferences } from "../references/defining-references.ts";
import { referenceNotFound } from "../references/lock-reference.ts";
import type { Values } from "./prepare-run.ts";

interface DefinitionFilter {
  queryId: string;
  /** Reads only these: a query can have many references, each with defaults of 100,000 characters. */
  names: Iterable<string>;
  shortId?: string | undefined;
}

/**
 * Reads the definitions of a query's parameters. For each name, the definition of the chosen reference applies, and
 * otherwise that of the oldest reference that defines it.
 */
export async function readDefinitions(
  tx: Pick<Tx, "queryReference" | "$queryRaw">,
  { queryId, names, shortId }: DefinitionFilter,
): Promise<ParameterDefinition[]> {
  if (shortId !== undefined) {
    const chosen = await tx.queryReference.findFirst({
      where: { queryId, shortId, deletedAt: null },
      select: { id: true },
    });
    if (!chosen) throw referenceNotFound();
  }
  const rows = await tx.$queryRaw<{ definition: unknown }[]>`
    WITH defining AS (
      SELECT parameters, row_number() OVER (ORDER BY short_id <> ${shortId ?? ""}, created_at, id) AS place
      FROM query_references
      WHERE query_id = ${queryId}::uuid AND deleted_at IS NULL AND ${definesParameters}
      ORDER BY place LIMIT ${maxDefiningReferences}
    )
    SELECT DISTINCT ON (definition ->> 'name') definition
    FROM defining, jsonb_array_elements(parameters) AS definition
    WHERE definition ->> 'name' = ANY (${[...new Set(names)]}::text[])
    ORDER BY definition ->> 'name', place`;
  return rows.map(({ definition }) => ParameterDefinition.parse(definition));
}

/** The values that a caller sent for a statement, with the definitions of their parameters. */
export async function readValues(
  tx: Parameters<typeof readDefinitions>[0],
  { placeholders }: Pick<Statement, "placeholders">,
  { given, ...wanted }: Omit<DefinitionFilter, "names"> & Pick<Values, "given">,
): Promise<Values> {
  const names = [...placeholders, ...Object.keys(given)];
  if (names.length === 0 && wanted.shortId === undefined) return { given, definitions: [] };
  return { given, definitions: await readDefinitions(tx, { ...wanted, names }) };
}

export function firstOfEachName(definitions: ParameterDefinition[]): ParameterDefinition[] {
  const byName = new Map<string, ParameterDefinition>();
  for (const definition of definitions) {
    if (!byName.has(definition.name)) byName.set(definition.name, definition);
  }
  return [...byName.values()];
}
