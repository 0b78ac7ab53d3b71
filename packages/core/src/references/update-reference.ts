import type { Caller, Reference, UpdateReference } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { checkAgainstQuery, checkContent, contentColumns } from "./check-content.ts";
import { lockReference } from "./lock-reference.ts";
import { toReference } from "./reference-row.ts";

export async function updateReference(
  { db, clock }: Deps,
  caller: Caller,
  { shortId, isOptimistic, ...content }: UpdateReference,
): Promise<Reference> {
  checkContent(content, clock);
  return db.transaction(async (tx) => {
    const { id, query, parameters: before } = await lockReference(tx, caller, { shortId, isOptimistic });
    if (query) await checkAgainstQuery(tx, query, { ...content, before });
    const row = await tx.queryReference.update({
      where: { id },
      data: { ...contentColumns(content), updatedAt: clock.now() },
    });
    return toReference({ ...row, query });
  });
}
