import { createDatabase, deleteDatabase } from "@querybell/core/databases";
import { createDraft } from "@querybell/core/drafts";
import { createGroup } from "@querybell/core/groups";
import { removeModel, updateModel } from "@querybell/core/models";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { execute } from "@querybell/core/testing";
import { CreateDatabase, type DatabaseConnection } from "@querybell/domain";
import { startModelServer } from "@querybell/models/testing";
import type { ExampleContext } from "./example-context.ts";

interface QueryContext extends ExampleContext {
  connection: DatabaseConnection;
}

/** A database, a query on it, its runs and its references. Returns the query and the reference. */
export async function recordQueries(context: QueryContext) {
  const { record } = context;
  const databaseId = await recordDatabases(context);
  const query = await record("queries.create", {
    name: "Heavy fruits",
    sql: "SELECT name, weight FROM fruits WHERE weight >= {{least}}",
    analyticalDatabaseConfigId: databaseId,
  });
  const reference = await record("references.create", {
    queryId: query.id,
    title: "Heavy fruits",
    parameters: [
      {
        name: "least",
        displayName: "Least weight",
        type: "integer",
        defaultValue: "1",
        description: "In kilograms",
      },
    ],
    visualization: {
      type: "bar",
      jsxConfig: '<BarChart><Bar dataKey="weight" /></BarChart>',
      marginConfig: { top: 0, right: 0, bottom: 0, left: 0 },
    },
  });
  await recordRuns(context, query.id);
  await recordVersions(context, query.id);
  await recordReferences(context, { queryId: query.id, ...reference });
  await recordDrafts(context, { queryId: query.id, databaseId });
  const unused = await createQuery(context.deps, context.caller, {
    sql: "SELECT 1",
    analyticalDatabaseConfigId: databaseId,
  });
  await record("queries.delete", { id: unused.id });
  await record("search.find", { text: "heavy fr" });
  return { queryId: query.id, reference };
}

async function recordDatabases({ deps, make, record, caller, connection }: QueryContext): Promise<string> {
  await record("databases.testConnection", connection);
  const { id } = await record("databases.create", {
    name: "Warehouse",
    connection,
    limits: { rows: 10_000 },
  });
  await record("databases.list");
  await record("databases.describe");
  await record("databases.tables", { id });
  await record("databases.schemas", { id });
  const fruits = { id, schema: "main", table: "fruits" };
  await record("databases.preview", fruits);
  await record("databases.profile", { ...fruits, column: "weight" });
  const description = "In kilograms, with the crate";
  await record("databases.saveDescription", { ...fruits, column: "weight", description });
  await record("databases.descriptions", { id });
  await recordHelp({ deps, record, caller }, id);
  await record("databases.test", { id });
  await record("databases.update", { id, name: "Fruit warehouse" });
  const unused = await createDatabase(deps, caller, CreateDatabase.parse({ name: "Unused", connection }));
  const run = { grantee: { kind: "everybody" }, level: "run" } as const;
  await record("access.setDatabase", { databaseId: unused.id, grants: [run] });
  const policies = [{ table: "orders", placeholder: "user_attribute_region" }];
  await record("access.setRowPolicies", { databaseId: unused.id, policies });
  await record("access.rowPolicies", { databaseId: unused.id });
  await record("access.groupRoles", { databaseId: unused.id });
  const { id: groupId } = await createGroup(deps, caller, { name: "North" });
  const server = await createDatabase(
    deps,
    caller,
    CreateDatabase.parse({ name: "Server", connection: await make.connection(caller, "postgres") }),
  );
  const roles = [{ groupId, role: "north" }];
  await record("access.setGroupRoles", { databaseId: server.id, roles });
  await deleteDatabase(deps, caller, { id: server.id });
  await record("access.getDatabase", { databaseId: unused.id });
  await record("databases.delete", { id: unused.id });
  return id;
}

/** Help with SQL, by a model that a server of the test plays. */
async function recordHelp(
  { deps, record, caller }: Pick<QueryContext, "deps" | "record" | "caller">,
  databaseId: string,
): Promise<void> {
  const answer = "It lists the heaviest first.\n```sql\nSELECT name FROM fruits ORDER BY weight DESC\n```";
  await using server = await startModelServer(() => ({ kind: "say", pieces: [answer] }));
  const connection = { url: server.url, name: "small-model", apiKey: null };
  await updateModel(deps, caller, { connection, monthlyTokens: 2_000_000, consent: true });
  const { id } = await record("sqlHelp.ask", {
    kind: "write",
    analyticalDatabaseConfigId: databaseId,
    question: "Which fruits are the heaviest?",
  });
  await record("sqlHelp.answer", { id });
  await removeModel(deps, caller);
}

async function recordRuns({ deps, record }: ExampleContext, queryId: string): Promise<void> {
  const { id } = await record("queries.run", { id: queryId, parameterValues: { least: 4 } });
  await record("runs.watch", { id });
  await execute(deps, id);
  await record("runs.get", { id });
  await record("runs.result", { id });
  await record("runs.compare", { from: id, to: id });
  await record("runs.list", { queryId });
  await record("queries.result", { id: queryId, parameterValues: { least: 4 } });
  await record("queries.findResult", { id: queryId, parameterValues: { least: 4 } });
  await record("queries.pastResults", { id: queryId, parameterValues: { least: 4 }, limit: 10 });
  await record("queries.get", { id: queryId });
  const again = await record("queries.refresh", { id: queryId });
  await record("runs.cancel", { id: again.id });
}

async function recordVersions({ record }: ExampleContext, id: string): Promise<void> {
  const sql = "SELECT name, weight FROM fruits WHERE weight >= {{least}} ORDER BY weight DESC";
  await record("queries.update", { id, sql, version: 1 });
  await record("queries.versions", { id });
  await record("queries.version", { id, version: 1 });
  await record("queries.list", { search: "fruits", limit: 10 });
}

interface DraftObjects {
  queryId: string;
  databaseId: string;
}

async function recordDrafts(
  { deps, record, caller }: ExampleContext,
  { queryId, databaseId }: DraftObjects,
): Promise<void> {
  const { id } = await record("drafts.create", {
    sql: "SELECT name, weight FROM fruits WHERE weight < {{most}}",
    analyticalDatabaseConfigId: databaseId,
  });
  const sql = "SELECT name FROM fruits WHERE weight < {{most}}";
  const most = {
    name: "most",
    displayName: "Less than",
    type: "number" as const,
    defaultValue: "3",
    description: "In kilograms",
  };
  const { revision } = await record("drafts.update", {
    id,
    revision: 1,
    sql,
    parameters: { base: null, definitions: [most] },
  });
  const trial = await record("drafts.run", { id, revision, parameterValues: { most: "3" } });
  await execute(deps, trial.id);
  await record("drafts.get", { id });
  await record("drafts.list");
  await record("drafts.save", { id, revision, name: "Light fruits" });
  await record("drafts.find", { queryId });
  const unused = await createDraft(deps, caller, {
    sql: "SELECT 1",
    analyticalDatabaseConfigId: databaseId,
  });
  await record("drafts.delete", { id: unused.id });
}

async function recordReferences(
  { deps, record, caller }: ExampleContext,
  { queryId, shortId }: { queryId: string; shortId: string },
): Promise<void> {
  await record("queries.definitions", { id: queryId, names: ["least"] });
  await record("queries.parameters", { id: queryId, names: ["least"] });
  await record("queries.chartTables");
  await record("queries.lineage", { id: queryId });
  await record("queries.setParameters", {
    id: queryId,
    version: 0,
    definitions: [
      {
        name: "least",
        displayName: "Least weight",
        type: "integer",
        defaultValue: "1",
        description: "In kilograms",
      },
    ],
    choices: {
      least: {
        kind: "list",
        items: [
          { value: "1", label: "All" },
          { value: "4", label: "Heavy" },
        ],
      },
    },
  });
  await record("queries.references", { id: queryId });
  await record("references.get", { shortId });
  await record("references.update", { shortId, description: "Those worth a second look" });
  const waiting = await record("references.createOptimistic", { title: "Fruits of the day" });
  await record("references.attach", { shortId: waiting.shortId, queryId });
  await record("references.list", { limit: 1 });
  await record("me.locatePermalink", { kind: "reference", shortId });
  const unused = await createReference(deps, caller, { queryId, title: "Unused" });
  await record("references.delete", { shortId: unused.shortId });
}
