import { inTransaction, onPool, type Prisma, type Tx, withRights } from "@querybell/db";
import { type AutomationFailure, describePosition, newId, type ParameterValues } from "@querybell/domain";
import { mayWriteSql, seesItem, seesQuery } from "../../../access/may-see.ts";
import { readRights } from "../../../access/rights-cache.ts";
import { readSystemValues } from "../../../access/system-values.ts";
import { getDatabaseRow } from "../../../databases/get-database.ts";
import { lockQuery } from "../../../queries/get-query.ts";
import {
  parseForRun,
  plainDefinition,
  prepareRun,
  readStatement,
  readValues,
  typeOfValue,
} from "../../../runs/prepare-run.ts";
import { createOrJoinRunIn, createRun, triggerOfAutomationRun } from "../../../runs/start-run.ts";
import type { QueryAnswer, RunReference, ToolOutcome } from "../agent.ts";
import { runStepQuery } from "./run-step-query.ts";
import type { Call, ToolWork } from "./tool-call.ts";

/** Runs a reference's query as a step, or joins the unfinished run with equal values. */
export async function runReference(
  work: ToolWork,
  call: Call,
  { shortId, parameterValues: given }: RunReference,
): Promise<ToolOutcome<QueryAnswer>> {
  const { deps, run } = work;
  const title = run.brief.references.find((reference) => reference.shortId === shortId)?.title ?? "";
  return runStepQuery(work, call, {
    title,
    isOwnSql: false,
    async start(tx) {
      const found = await findReference(work, tx, shortId);
      if ("failure" in found) return { kind: "refused", failure: found.failure };
      const query = await lockQuery(tx, run, found.query.id);
      const statement = await readStatement(tx, query);
      const wanted = { queryId: query.id, shortId, given, person: ownerOf(run) };
      const values = await readValues({ ...deps, tx }, statement, wanted);
      const prepared = prepareRun(statement, values, deps.clock);
      const triggerId = triggerOfAutomationRun(run.id);
      return createOrJoinRunIn({ ...deps, tx }, { query, triggerId, ...prepared });
    },
    explain: ({ message }) => `"${title}" could not be run: ${message}`,
  });
}

interface ModelSql {
  /** Of a reference of the automation: the SQL runs on its database. */
  shortId: string;
  /** The title of the result in the chat. */
  title: string;
  sql: string;
  parameterValues: ParameterValues;
}

/**
 * Runs SQL that a model wrote as a step. It is a query run like others: claimed in turn, in an engine host, with the
 * limits of its database. Its query belongs to the automation run, is deleted with it, and is in no list.
 */
export async function runModelSql(
  work: ToolWork,
  call: Call,
  { shortId, title, sql, parameterValues: given }: ModelSql,
): Promise<ToolOutcome<QueryAnswer>> {
  const { deps, run } = work;
  return runStepQuery(work, call, {
    title,
    isOwnSql: true,
    async start(tx) {
      const found = await findReference(work, tx, shortId);
      if ("failure" in found) return { kind: "refused", failure: found.failure };
      const { analyticalDatabaseConfigId } = found.query;
      if (!mayWriteSql(await readRights(inTransaction(tx), ownerOf(run)), analyticalDatabaseConfigId)) {
        return { kind: "refused", failure: mayNotWriteSql };
      }
      const statement = parseForRun(sql, await getDatabaseRow(tx, run, analyticalDatabaseConfigId));
      const definitions = Object.entries(given).map(([name, value]) =>
        plainDefinition(name, typeOfValue(value)),
      );
      const system = await readSystemValues(inTransaction(tx), ownerOf(run), statement);
      const prepared = prepareRun(statement, { definitions, given, system }, deps.clock);
      const query = await insertModelQuery(tx, work, { sql, analyticalDatabaseConfigId });
      const triggerId = triggerOfAutomationRun(run.id);
      return { kind: "started", run: await createRun({ ...deps, tx }, { query, triggerId, ...prepared }) };
    },
    explain: ({ message, position }) =>
      `The SQL could not be run${position ? ` (${describePosition(position)})` : ""}: ${message}`,
  });
}

/** The query is deleted by the transaction that creates it: see the constraint queries_of_models_are_deleted. */
async function insertModelQuery(
  tx: Tx,
  { deps, run }: ToolWork,
  { sql, analyticalDatabaseConfigId }: { sql: string; analyticalDatabaseConfigId: string },
): Promise<Prisma.QueryModel> {
  const [id, now] = [newId(deps.clock), deps.clock.now()];
  await tx.$executeRaw`
    INSERT INTO queries (id, organization_id, analytical_database_config_id, sql, created_by, created_at, updated_at,
      automation_run_id, deleted_at, deleted_xid)
    SELECT ${id}::uuid, organization_id, ${analyticalDatabaseConfigId}::uuid, ${sql}, created_by, ${now}, ${now},
      ${run.id}::uuid, ${now}, pg_current_xact_id()
    FROM automations WHERE id = ${run.automationId}::uuid`;
  return tx.query.findUniqueOrThrow({ where: { id } });
}

type Found = { query: Prisma.QueryModel } | { failure: AutomationFailure };

/** Finds the query of a reference that the automation looks at, if the automation's owner sees both. */
export async function findReference({ run }: ToolWork, tx: Tx, shortId: string): Promise<Found> {
  const { brief, organizationId } = run;
  const named = brief.references.find((reference) => reference.shortId === shortId);
  if (!named) return { failure: unknownReference };
  const found = await tx.queryReference.findFirst({
    where: { id: named.id, organizationId, deletedAt: null },
    include: { query: true },
  });
  if (!found?.query) return { failure: deletedFailure(named.title) };
  const rights = await readRights(inTransaction(tx), ownerOf(run));
  const isSeen = seesItem(rights, found) && seesQuery(rights, found.query);
  return isSeen ? { query: found.query } : { failure: notSeenFailure };
}

/** The person with whose rights an automation runs. */
export const ownerOf = ({ organizationId, ownerId }: ToolWork["run"]) => ({
  organizationId,
  userId: ownerId,
});

/** Reads with the rights of the automation's owner. */
export const withOwnersRights = async <T>(
  { deps, run }: Pick<ToolWork, "deps" | "run">,
  read: () => Promise<T>,
): Promise<T> => withRights(await readRights(onPool(deps.db), ownerOf(run)), read);

const notSeenFailure: AutomationFailure = {
  code: "reference_deleted",
  reason:
    "The person who last changed this automation may not see one of its references. Ask an admin for the right, or let somebody who sees it save the automation.",
};

const mayNotWriteSql: AutomationFailure = {
  code: "agent_failed",
  reason:
    "The person who last changed this automation may not write SQL on the database. Ask an admin for the right, or let somebody who has it save the automation.",
};

const unknownReference: AutomationFailure = {
  code: "agent_failed",
  reason: "The agent asked for a reference that the automation does not look at.",
};

const deletedFailure = (title: string): AutomationFailure => ({
  code: "reference_deleted",
  reason: `The reference "${title}" was deleted. Choose another for the automation, or take it out.`,
});
