import { inTransaction, type Tx } from "@querybell/db";
import {
  AppError,
  type Caller,
  type EngineKind,
  isSystemName,
  type ParameterDefinition,
  ParameterType,
  ParameterValues,
  type QueryId,
  type Run,
  type RunQuery,
} from "@querybell/domain";
import type { Statement } from "@querybell/statements";
import { z } from "zod";
import { noteRowRights } from "../access/row-rights.ts";
import { readSystemValues } from "../access/system-values.ts";
import { databaseDeleted } from "../databases/get-database.ts";
import type { Deps } from "../deps.ts";
import { lockQuery, queryNotFound } from "../queries/get-query.ts";
import { toRun } from "./get-run.ts";
import {
  parseForRun,
  plainDefinition,
  prepareRun,
  readDefinitions,
  readStatement,
  readValues,
  type Values,
} from "./prepare-run.ts";
import { createOrJoinRun, createRun, triggerOf } from "./start-run.ts";

/** Runs a query with these values, or joins the unfinished run with equal values. */
export async function runQuery(
  deps: Deps,
  caller: Caller,
  { id, shortId, parameterValues: given }: RunQuery,
): Promise<Run> {
  for (;;) {
    const query = await readQueryToRun(deps, caller, id);
    const statement = parseForRun(query.sql, { ...query, id: query.databaseId });
    const values = await readValues(deps, statement, { queryId: id, shortId, given, person: caller });
    const prepared = prepareRun(statement, values, deps.clock);
    if (prepared.systemValues) await noteRowRights(deps, caller);
    const start = await createOrJoinRun(deps, { query, triggerId: triggerOf(caller), ...prepared });
    if (start?.kind === "started") return toRun(start.run);
    if (start) {
      throw new AppError(
        "query_already_running",
        "The run with these values is being cancelled. Run the query again when it has ended.",
      );
    }
    // The query was edited or deleted after it was read. Nothing was locked until then, so read it again.
  }
}

interface QueryRow {
  id: string;
  sql: string;
  version: number;
  engine: EngineKind;
  databaseId: string;
  rowPolicies: unknown;
  groupRoles: unknown;
  rowRightsVersion: number;
  isDatabaseDeleted: boolean;
}

async function readQueryToRun(
  { db }: Pick<Deps, "db">,
  { organizationId }: Pick<Caller, "organizationId">,
  id: string,
): Promise<QueryRow> {
  const { rows } = await db.pool.query<QueryRow>({
    name: "read_query_to_run",
    text: `
      SELECT q.id, q.sql, q.version, d.engine, d.id AS "databaseId",
        d.row_policies AS "rowPolicies", d.group_roles AS "groupRoles", d.row_rights_version AS "rowRightsVersion",
        d.deleted_at IS NOT NULL AS "isDatabaseDeleted"
      FROM queries q JOIN analytical_database_configs d
        ON d.organization_id = q.organization_id AND d.id = q.analytical_database_config_id
      WHERE q.id = $1 AND q.organization_id = $2 AND q.deleted_at IS NULL`,
    values: [id, organizationId],
  });
  const [row] = rows;
  if (!row) throw queryNotFound();
  if (row.isDatabaseDeleted) throw databaseDeleted();
  return row;
}

/**
 * Runs a query with the values of its last run or, if it never ran, with the defaults. Throws while
 * any run of the query is unfinished.
 */
export async function refreshQuery(deps: Deps, caller: Caller, { id }: QueryId): Promise<Run> {
  // In a burst, most calls fail here without waiting for the lock. The check under the lock is authoritative.
  await refuseUnfinished(deps.db.prisma, { queryId: id, organizationId: caller.organizationId });
  return deps.db.transaction(async (tx) => {
    const query = await lockQuery(tx, caller, id);
    await refuseUnfinished(tx, { queryId: id });
    const statement = await readStatement(tx, query);
    const system = await readSystemValues(inTransaction(tx), caller, statement);
    const values = { ...(await readRefreshValues(tx, id, statement)), system };
    const prepared = prepareRun(statement, values, deps.clock);
    return toRun(await createRun({ ...deps, tx }, { query, triggerId: triggerOf(caller), ...prepared }));
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

async function readRefreshValues(
  tx: Tx,
  queryId: string,
  statement: Statement,
): Promise<Omit<Values, "system">> {
  const last = await tx.queryRun.findFirst({
    where: { queryId },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    select: { parameterValues: true, parameterTypes: true },
  });
  // The last run's values keep its types, even if the reference that defined them was changed.
  const types = Types.parse(last?.parameterTypes ?? {});
  const current = await readDefinitions(tx, { queryId, names: statement.placeholders });
  const definitions = [
    ...Object.entries(types).map(([name, type]) => plainDefinition(name, type)),
    ...current.filter(({ name }) => !Object.hasOwn(types, name)),
  ];
  refuseUndefined(statement, definitions);
  const given = Object.entries(ParameterValues.parse(last?.parameterValues ?? {})).filter(([name]) =>
    statement.placeholders.includes(name),
  );
  return { definitions, given: Object.fromEntries(given) };
}

/** A refresh sends no values, so a placeholder without a definition has no value. */
function refuseUndefined({ placeholders }: Statement, definitions: ParameterDefinition[]): void {
  const missing = placeholders.filter(
    (name) => !isSystemName(name) && !definitions.some((defined) => defined.name === name),
  );
  if (missing.length === 0) return;
  throw new AppError(
    "missing_parameter_values",
    `${missing.map((name) => `{{${name}}}`).join(", ")} has neither a last value nor a default. Define a default, or run the query with values once.`,
    { errors: missing.map((name) => ({ path: `parameterValues.${name}`, message: "is required" })) },
  );
}
