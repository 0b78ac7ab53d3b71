import { inTransaction, type Tx } from "@querybell/db";
import { AppError, type Caller, newId, type Run, type RunSql } from "@querybell/domain";
import { noteRowRightsIn } from "../access/row-rights.ts";
import { readSystemValues } from "../access/system-values.ts";
import { getDatabaseRow, requireWriteSql } from "../databases/get-database.ts";
import type { Deps } from "../deps.ts";
import { toRun } from "../runs/get-run.ts";
import { parseForRun, plainDefinition, prepareRun, typeOfValue } from "../runs/prepare-run.ts";
import { createRun, triggerOf } from "../runs/start-run.ts";
import { insertTrialQuery } from "./run-draft.ts";

const keptMs = 24 * 60 * 60 * 1000;

/**
 * Runs SQL that a program wrote, if the organization allows it: a trial of a draft that is deleted from the beginning, so
 * that nobody edits it, and removed with the run after a day. Only the key that runs it and its owner see the run.
 */
export async function runSql(
  deps: Deps,
  caller: Caller,
  { databaseId, sql, parameterValues: given }: RunSql,
): Promise<Run> {
  return deps.db.transaction(async (tx) => {
    await requireSqlOfKeys(tx, caller);
    const database = await getDatabaseRow(tx, caller, databaseId);
    requireWriteSql(databaseId);
    const statement = parseForRun(sql, database);
    const definitions = Object.entries(given).map(([name, value]) =>
      plainDefinition(name, typeOfValue(value)),
    );
    const system = await readSystemValues(inTransaction(tx), caller, statement);
    const prepared = prepareRun(statement, { definitions, given, system }, deps.clock);
    await noteRowRightsIn(tx, caller, sql);
    const draftId = newId(deps.clock);
    const now = deps.clock.now();
    const { organizationId, userId } = caller;
    const content = { sql, analyticalDatabaseConfigId: databaseId };
    const times = { createdAt: now, updatedAt: now, deletedAt: now };
    const expiresAt = new Date(now.getTime() + keptMs);
    await tx.queryDraft.create({
      data: { id: draftId, organizationId, userId, ...content, ...times, expiresAt },
    });
    const query = await insertTrialQuery({ ...deps, tx }, caller, { id: draftId, ...content });
    const trial = { query, triggerId: triggerOf(caller), trialBy: userId, ...prepared };
    return toRun(await createRun({ ...deps, tx }, trial));
  });
}

async function requireSqlOfKeys(tx: Tx, { organizationId: id }: Caller): Promise<void> {
  const { keysRunSql } = await tx.organization.findUniqueOrThrow({ where: { id } });
  if (keysRunSql) return;
  throw new AppError(
    "forbidden",
    "This organization does not let API keys run SQL of their own. Run a saved query, or ask an admin.",
  );
}
