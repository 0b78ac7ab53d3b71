import type { Caller, QueryId } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { requestCancelOfUnfinished } from "../runs/cancel-run.ts";
import { lockQuery } from "./lock-query.ts";

/** Soft delete: the history remains. Also deletes the query's references and cancels its unfinished runs. */
export async function deleteQuery(deps: Deps, caller: Caller, { id }: QueryId): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await lockQuery(tx, caller, id);
    const deletedAt = deps.clock.now();
    await requestCancelOfUnfinished({ ...deps, tx }, id);
    await tx.queryReference.updateMany({ where: { queryId: id, deletedAt: null }, data: { deletedAt } });
    await tx.query.update({ where: { id }, data: { deletedAt } });
  });
}
