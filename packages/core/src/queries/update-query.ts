import type { Caller, Query, UpdateQuery } from "@querybell/domain";
import { findDatabase } from "../databases/find-database.ts";
import type { Deps } from "../deps.ts";
import { requestCancelOfUnfinished } from "../runs/cancel-run.ts";
import { checkSql } from "./check-sql.ts";
import { readLatestRuns } from "./latest-runs.ts";
import { lockQuery } from "./lock-query.ts";
import { toQuery } from "./query-row.ts";

/** Changes the statement or its database. Unfinished runs of what the query was are cancelled. */
export async function updateQuery(
  deps: Deps,
  caller: Caller,
  { id, sql, analyticalDatabaseConfigId }: UpdateQuery,
): Promise<Query> {
  const row = await deps.db.transaction(async (tx) => {
    const before = await lockQuery(tx, caller, id);
    const after = {
      sql: sql ?? before.sql,
      analyticalDatabaseConfigId: analyticalDatabaseConfigId ?? before.analyticalDatabaseConfigId,
    };
    checkSql(await findDatabase(tx, caller, after.analyticalDatabaseConfigId), after.sql);
    const changed =
      after.sql !== before.sql || after.analyticalDatabaseConfigId !== before.analyticalDatabaseConfigId;
    if (!changed) return before;
    await requestCancelOfUnfinished({ ...deps, tx }, id);
    return tx.query.update({ where: { id }, data: { ...after, updatedAt: deps.clock.now() } });
  });
  const runs = await readLatestRuns(deps, [id]);
  return toQuery(row, runs.get(id));
}
