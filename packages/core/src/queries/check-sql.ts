import type { Prisma } from "@querybell/db";
import { dialectOf, parseStatement, type Statement } from "@querybell/engines";

/** Parses SQL in the dialect of its database. Throws unless it is one statement with valid placeholders. */
export const checkSql = (
  { engine }: Pick<Prisma.AnalyticalDatabaseConfigModel, "engine">,
  sql: string,
): Statement => parseStatement(sql, dialectOf(engine));
