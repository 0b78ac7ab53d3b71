import { createDatabase } from "@querybell/core/databases";
import { createQuery } from "@querybell/core/queries";
import { createReference } from "@querybell/core/references";
import { CreateDatabase, type DatabaseConnection } from "@querybell/domain";
import { execute } from "../run-states.ts";
import type { Scene } from "./scene.ts";

interface QueryScene extends Scene {
  connection: DatabaseConnection;
}

/** A database, a query on it, its runs and its references. Returns the reference. */
export async function playQueries(scene: QueryScene): Promise<{ shortId: string }> {
  const { play } = scene;
  const databaseId = await playDatabases(scene);
  const query = await play("queries.create", {
    name: "Heavy fruits",
    sql: "SELECT name, weight FROM fruits WHERE weight >= {{least}}",
    analyticalDatabaseConfigId: databaseId,
  });
  const reference = await play("references.create", {
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
  await playRuns(scene, query.id);
  await playVersions(scene, query.id);
  await playReferences(scene, { queryId: query.id, ...reference });
  const unused = await createQuery(scene.deps, scene.caller, {
    sql: "SELECT 1",
    analyticalDatabaseConfigId: databaseId,
  });
  await play("queries.delete", { id: unused.id });
  await play("search.find", { text: "heavy fr" });
  return reference;
}

async function playDatabases({ deps, play, caller, connection }: QueryScene): Promise<string> {
  await play("databases.testConnection", connection);
  const { id } = await play("databases.create", { name: "Warehouse", connection, limits: { rows: 10_000 } });
  await play("databases.list");
  await play("databases.describe");
  await play("databases.tables", { id });
  await play("databases.schemas", { id });
  await play("databases.test", { id });
  await play("databases.update", { id, name: "Fruit warehouse" });
  const unused = await createDatabase(deps, caller, CreateDatabase.parse({ name: "Unused", connection }));
  await play("databases.delete", { id: unused.id });
  return id;
}

async function playRuns({ deps, play }: Scene, queryId: string): Promise<void> {
  const { id } = await play("queries.run", { id: queryId, parameterValues: { least: 4 } });
  await play("runs.watch", { id });
  await execute(deps, id);
  await play("runs.get", { id });
  await play("runs.result", { id });
  await play("runs.list", { queryId });
  await play("queries.result", { id: queryId, parameterValues: { least: 4 } });
  await play("queries.get", { id: queryId });
  const again = await play("queries.refresh", { id: queryId });
  await play("runs.cancel", { id: again.id });
}

async function playVersions({ play }: Scene, id: string): Promise<void> {
  const sql = "SELECT name, weight FROM fruits WHERE weight >= {{least}} ORDER BY weight DESC";
  await play("queries.update", { id, sql, version: 1 });
  await play("queries.versions", { id });
  await play("queries.version", { id, version: 1 });
  await play("queries.list", { search: "fruits", limit: 10 });
}

async function playReferences(
  { deps, play, caller }: Scene,
  { queryId, shortId }: { queryId: string; shortId: string },
): Promise<void> {
  await play("queries.definitions", { id: queryId, names: ["least"] });
  await play("queries.references", { id: queryId });
  await play("references.get", { shortId });
  await play("references.update", { shortId, description: "Those worth a second look" });
  const waiting = await play("references.createOptimistic", { title: "Fruits of the day" });
  await play("references.attach", { shortId: waiting.shortId, queryId });
  await play("references.list", { limit: 1 });
  await play("me.locatePermalink", { kind: "reference", shortId });
  const unused = await createReference(deps, caller, { queryId, title: "Unused" });
  await play("references.delete", { shortId: unused.shortId });
}
