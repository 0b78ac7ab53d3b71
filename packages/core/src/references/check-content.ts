import { Prisma, type Tx } from "@querybell/db";
import { type Clock, type CreateOptimisticReference, parseJsxConfig } from "@querybell/domain";
import { engineOf } from "@querybell/engines";
import { checkPlaceholders, parseDefaultValue, parseStatement } from "@querybell/statements";
import { refuseTooManyDefining } from "./defining-references.ts";

type Content = CreateOptimisticReference;

/** Throws if the visualization contains code, or if a default does not match its type. */
export function checkContent({ visualization, parameters = [] }: Content, clock: Clock): void {
  if (visualization) parseJsxConfig(visualization.jsxConfig);
  for (const { defaultValue, ...context } of parameters) {
    if (defaultValue !== undefined) parseDefaultValue({ ...context, clock }, defaultValue);
  }
}

/**
 * Throws if the definitions miss a placeholder of the query, or define a list for a placeholder inside a string.
 * `before` are the current definitions of the reference.
 */
export async function checkAgainstQuery(
  tx: Tx,
  query: Prisma.QueryModel,
  { parameters = [], before }: Content & { before?: Prisma.JsonValue },
): Promise<void> {
  if (parameters.length === 0) return;
  if (!Array.isArray(before) || before.length === 0) await refuseTooManyDefining(tx, query.id);
  const id = query.analyticalDatabaseConfigId;
  const database = await tx.analyticalDatabaseConfig.findUniqueOrThrow({ where: { id } });
  checkPlaceholders(parseStatement(query.sql, engineOf(database.engine).dialect), parameters);
}

/** The columns of the given fields. Absent fields stay absent. */
export const contentColumns = ({ title, description, visualization, parameters }: Content) => ({
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
  ...(visualization !== undefined && { visualization: visualization ?? Prisma.DbNull }),
  ...(parameters && { parameters }),
});
