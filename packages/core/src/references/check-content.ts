import { Prisma, type Tx } from "@querybell/db";
import { type Clock, type CreateOptimisticReference, parseJsxConfig } from "@querybell/domain";
import { checkPlaceholders, parseDefaultValue } from "@querybell/engines";
import { checkSql } from "../queries/check-sql.ts";
import { refuseTooManyDefining } from "./defining-references.ts";

type Content = CreateOptimisticReference;

/** Refuses a visualization that is more than data, and defaults that their own types do not allow. */
export function checkContent({ visualization, parameters = [] }: Content, clock: Clock): void {
  if (visualization) parseJsxConfig(visualization.jsxConfig);
  for (const { defaultValue, ...context } of parameters) {
    if (defaultValue !== undefined) parseDefaultValue({ ...context, clock }, defaultValue);
  }
}

/**
 * Refuses definitions that leave a placeholder of the query out, or make a list of one inside a string.
 * `before` are the definitions that the reference has with this query already.
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
  checkPlaceholders(checkSql(database, query.sql), parameters);
}

/** What of the content a row stores: absent fields stay absent. */
export const contentColumns = ({ title, description, visualization, parameters }: Content) => ({
  ...(title !== undefined && { title }),
  ...(description !== undefined && { description }),
  ...(visualization !== undefined && { visualization: visualization ?? Prisma.DbNull }),
  ...(parameters && { parameters }),
});
