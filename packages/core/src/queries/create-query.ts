import type { Prisma, Tx } from "@querybell/db";
import { type Caller, type CreateQuery, newId, type Query } from "@querybell/domain";
import { engineOf } from "@querybell/engines";
import { parseStatement } from "@querybell/statements";
import { getDatabaseRow } from "../databases/get-database.ts";
import type { Deps } from "../deps.ts";
import { toQuery } from "./query-row.ts";

export async function createQuery(deps: Deps, caller: Caller, input: CreateQuery): Promise<Query> {
  return deps.db.transaction(async (tx) =>
    toQuery(await insertQuery({ ...deps, tx }, caller, input), undefined),
  );
}

export async function insertQuery(
  { tx, clock }: { tx: Tx } & Pick<Deps, "clock">,
  { organizationId, userId }: Pick<Caller, "organizationId" | "userId">,
  { sql, analyticalDatabaseConfigId, name = null }: CreateQuery,
): Promise<Prisma.QueryModel> {
  const { engine } = await getDatabaseRow(tx, { organizationId }, analyticalDatabaseConfigId);
  parseStatement(sql, engineOf(engine).dialect);
  const now = clock.now();
  return tx.query.create({
    data: {
      id: newId(clock),
      organizationId,
      analyticalDatabaseConfigId,
      sql,
      name,
      createdBy: userId,
      createdAt: now,
      updatedAt: now,
    },
  });
}
