import type { Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type ParameterDefinition,
  ParameterType,
  ParameterValues,
  type QueryId,
  type Run,
} from "@querybell/domain";
import type { Statement } from "@querybell/statements";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { lockQuery } from "../queries/lock-query.ts";
import { insertRun, triggerOf } from "./insert-run.ts";
import { firstOfEachName, readDefinitions } from "./parameter-definitions.ts";
import { plainDefinition, prepareRun, readStatement, type Values } from "./prepare-run.ts";
import { toRun } from "./run-row.ts";

/**
 * Runs a query with the values of its last run or, if it never ran, with the defaults of its references. Throws while
 * any run of the query is unfinished.
 */
export async function refreshQuery(deps: Deps, caller: Caller, { id }: QueryId): Promise<Run> {
  // In a burst, most calls fail here without waiting for the lock. The check under the lock is authoritative.
  await refuseUnfinished(deps.db.prisma, { queryId: id, organizationId: caller.organizationId });
  return deps.db.transaction(async (tx) => {
    const query = await lockQuery(tx, caller, id);
    await refuseUnfinished(tx, { queryId: id });
    const statement = await readStatement(tx, query);
    const values = await readRefreshValues(tx, id, statement);
    const prepared = prepareRun(statement, values, deps.clock);
    return toRun(await insertRun({ ...deps, tx }, { query, triggerId: triggerOf(caller), ...prepared }));
  });
}

async function refuseUnfinished(
  tx: Pick<Tx, "queryRun">,
  where: { queryId: string; organizationId?: string },
): Promise<void> {
  const unfinished = await tx.queryRun.findFirst({
    where: { ...where, status: { in: ["pending", "running"] } },
    select: { id: true },
  });
  if (unfinished) {
    throw new AppError(
      "query_already_running",
      `The query is already running. Wait for run ${unfinished.id} to finish, or cancel it.`,
    );
  }
}

const Types = z.record(z.string(), ParameterType);

async function readRefreshValues(tx: Tx, queryId: string, statement: Statement): Promise<Values> {
  const last = await tx.queryRun.findFirst({
    where: { queryId },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    select: { parameterValues: true, parameterTypes: true },
  });
  // The last run's values keep its types, even if the reference that defined them was changed.
  const definitions = firstOfEachName([
    ...Object.entries(Types.parse(last?.parameterTypes ?? {})).map(([name, type]) =>
      plainDefinition(name, type),
    ),
    ...(await readDefinitions(tx, { queryId, names: statement.placeholders })),
  ]);
  refuseUndefined(statement, definitions);
  const given = Object.entries(ParameterValues.parse(last?.parameterValues ?? {})).filter(([name]) =>
    statement.placeholders.includes(name),
  );
  return { definitions, given: Object.fromEntries(given) };
}

/** A refresh sends no values, so a placeholder without a definition has no value. */
function refuseUndefined({ placeholders }: Statement, definitions: ParameterDefinition[]): void {
  const missing = placeholders.filter((name) => !definitions.some((defined) => defined.name === name));
  if (missing.length === 0) return;
  throw new AppError(
    "missing_parameter_values",
    `${missing.map((name) => `{{${name}}}`).join(", ")} has neither a last value nor a default. Define a default in a reference, or run the query with values once.`,
    { errors: missing.map((name) => ({ path: `parameterValues.${name}`, message: "is required" })) },
  );
}
