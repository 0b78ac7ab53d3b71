import { AppError, type Caller, type Run, type RunQuery } from "@querybell/domain";
import type { Deps } from "../deps.ts";
import { lockQuery } from "../queries/lock-query.ts";
import { joinRun, triggerOf } from "./insert-run.ts";
import { readValues } from "./parameter-definitions.ts";
import { prepareRun, readStatement } from "./prepare-run.ts";
import { toRun } from "./run-row.ts";

/** Runs a query with these values, or joins the unfinished run with equal values. */
export async function runQuery(
  deps: Deps,
  caller: Caller,
  { id, shortId, parameterValues: given }: RunQuery,
): Promise<Run> {
  return deps.db.transaction(async (tx) => {
    const query = await lockQuery(tx, caller, id);
    const statement = await readStatement(tx, query);
    const values = await readValues(tx, statement, { queryId: id, shortId, given });
    const prepared = prepareRun(statement, values, deps.clock);
    const { kind, run } = await joinRun(
      { ...deps, tx },
      { query, triggerId: triggerOf(caller), ...prepared },
    );
    if (kind === "cancelling") {
      throw new AppError(
        "query_already_running",
        "The run with these values is being cancelled. Run the query again when it has ended.",
      );
    }
    return toRun(run);
  });
}
