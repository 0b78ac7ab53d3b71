import type { Prisma } from "@querybell/db";
import { dialectOf, parseStatement, type Statement } from "@querybell/engines";

/** Reads SQL in the dialect of its database; refuses what is not one statement, or holds bad placeholders. */
export const checkSql = (
  { engine }: Pick<Prisma.AnalyticalDatabaseConfigModel, "engine">,
  sql: string,
): Statement => parseStatement(sql, dialectOf(engine));
