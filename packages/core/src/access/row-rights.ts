import { asService, type Tx } from "@querybell/db";
import { type Caller, isSystemName } from "@querybell/domain";
import { findPlaceholders } from "@querybell/statements/tokenizer";
import type { Deps } from "../deps.ts";

type Scope = Pick<Caller, "organizationId">;

/**
 * Notes that a query of the organization uses values of its reader: from now on, everybody there sees only runs with their
 * own values. Noted when such a query is saved or tried, so before its first run has a result.
 */
export async function noteRowRights(
  { db, rights }: Pick<Deps, "db" | "rights">,
  scope: Scope,
): Promise<void> {
  const { rowCount } = await asService(() =>
    db.pool.query({
      name: "note_row_rights",
      text: "UPDATE organizations SET has_row_rights = true WHERE id = $1 AND NOT has_row_rights",
      values: [scope.organizationId],
    }),
  );
  if (rowCount) rights.forget(scope);
}

/** The same in the transaction that saves the statement. */
export async function noteRowRightsIn(tx: Tx, { organizationId }: Scope, sql: string): Promise<void> {
  if (findPlaceholders(sql).some(isSystemName)) await turnOnRowRights(tx, { organizationId });
}

export async function turnOnRowRights(tx: Tx, { organizationId }: Scope): Promise<void> {
  await tx.organization.updateMany({
    where: { id: organizationId, hasRowRights: false },
    data: { hasRowRights: true },
  });
}
