import {
  AppError,
  type AttachReference,
  type Caller,
  ParameterDefinition,
  type Reference,
} from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockQuery } from "../queries/lock-query.ts";
import { checkAgainstQuery } from "./check-content.ts";
import { lockReference } from "./lock-reference.ts";
import { toReference } from "./reference-row.ts";

/** Links an optimistic reference to its query. An existing link is never changed. */
export async function attachReference(
  { db, clock }: Deps,
  caller: Caller,
  { shortId, queryId }: AttachReference,
): Promise<Reference> {
  return db.transaction(async (tx) => {
    // Every transaction locks the query before the reference, which prevents deadlocks.
    const query = await lockQuery(tx, caller, queryId);
    const before = await lockReference(tx, caller, { shortId });
    if (before.query) {
      throw new AppError("conflict", "This reference has its query. Create another reference instead.");
    }
    await checkAgainstQuery(tx, query, { parameters: ParameterDefinition.array().parse(before.parameters) });
    const row = await tx.queryReference.update({
      where: { id: before.id },
      data: { queryId, updatedAt: clock.now() },
    });
    return toReference({ ...row, query });
  });
}
