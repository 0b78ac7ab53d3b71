import { AppError, type Caller, type Query, type UpdateQuery } from "@querybell/domain";
import { engineOf } from "@querybell/engines";
import { parseStatement } from "@querybell/statements";
import { getDatabaseRow } from "../databases/get-database.ts";
import type { Deps } from "../deps.ts";
import { requestCancelOfUnfinished } from "../runs/cancel-run.ts";
import { readLatestRuns } from "./latest-runs.ts";
import { lockQuery } from "./lock-query.ts";
import { toQuery } from "./query-row.ts";

/** A changed statement or database creates a new version and cancels the unfinished runs of the previous one. */
export async function updateQuery(
  deps: Deps,
  caller: Caller,
  { id, version, ...input }: UpdateQuery,
): Promise<Query> {
  const row = await deps.db.transaction(async (tx) => {
    const before = await lockQuery(tx, caller, id);
    const name = input.name === undefined ? before.name : input.name;
    const sql = input.sql ?? before.sql;
    const analyticalDatabaseConfigId = input.analyticalDatabaseConfigId ?? before.analyticalDatabaseConfigId;
    const isSameStatement =
      sql === before.sql && analyticalDatabaseConfigId === before.analyticalDatabaseConfigId;
    if (isSameStatement && name === before.name) return before;
    const updatedAt = deps.clock.now();
    if (isSameStatement) return tx.query.update({ where: { id }, data: { name, updatedAt } });
    if (version !== undefined && version !== before.version) throw queryChanged(version, before.version);
    const { engine } = await getDatabaseRow(tx, caller, analyticalDatabaseConfigId);
    parseStatement(sql, engineOf(engine).dialect);
    await requestCancelOfUnfinished({ ...deps, tx }, id);
    const written = { versionBy: caller.userId, versionAt: updatedAt };
    return tx.query.update({
      where: { id },
      data: { name, sql, analyticalDatabaseConfigId, updatedAt, ...written },
    });
  });
  const runs = await readLatestRuns(deps, [id]);
  return toQuery(row, runs.get(id));
}

const queryChanged = (named: number, current: number) =>
  new AppError(
    "query_changed",
    `The query was changed since version ${named}: it is at version ${current} now. Read it, and make your change to that.`,
  );
