import { createDatabase, deleteDatabase, testDatabase } from "@querybell/core/databases";
import { CreateDatabase, type DatabaseConnection } from "@querybell/domain";
import type { ProvocationContext } from "./provoke.ts";

/** Errors because of a database. */
export async function provokeDatabases({ deps, make, owner, provoke }: ProvocationContext): Promise<void> {
  const real = await make.connection(owner, "postgres");
  if (real.engine !== "postgres") throw new Error("This needs a Postgres.");
  const save = (connection: DatabaseConnection) =>
    createDatabase(deps, owner, CreateDatabase.parse({ name: "A database", connection }));
  // An organization learns the reason of a failed connection only for a server that it has connected to before.
  await testDatabase(deps, owner, await save(real));
  const refused = [
    ["database_unreachable", { engine: "duckdb", settings: { file: "missing.duckdb" } }],
    ["database_credentials_refused", { ...real, credentials: { password: "wrong" } }],
  ] as const;
  for (const [code, connection] of refused) {
    await provoke("databases.testConnection", code, connection);
    const { id } = await save(connection);
    await provoke("databases.test", code, { id });
    await provoke("databases.tables", code, { id });
    await provoke("databases.schemas", code, { id });
    await provoke("databases.preview", code, { id, ...column, column: undefined });
    await provoke("databases.profile", code, { id, ...column });
  }
  const { id: found } = await save(real);
  await provoke("databases.preview", "query_failed", { id: found, ...column, column: undefined });
  await provoke("databases.profile", "query_failed", { id: found, ...column });
  await deps.db.pool.query(
    `INSERT INTO table_descriptions (database_id, organization_id, schema_name, table_name, column_name, description, updated_at)
     SELECT $1, $2, 'public', 'wide', 'c' || n, 'x', now() FROM generate_series(1, 5000) n`,
    [found, owner.organizationId],
  );
  const described = { ...column, description: "One more" };
  await provoke("databases.saveDescription", "conflict", { id: found, ...described });
  const deleted = await save(real);
  await deleteDatabase(deps, owner, deleted);
  for (const path of [
    "databases.test",
    "databases.tables",
    "databases.schemas",
    "databases.update",
    "databases.delete",
  ]) {
    await provoke(path, "database_deleted", { id: deleted.id });
  }
  const { id } = deleted;
  await provoke("databases.preview", "database_deleted", { id, ...column, column: undefined });
  await provoke("databases.profile", "database_deleted", { id, ...column });
  await provoke("databases.descriptions", "database_deleted", { id });
  await provoke("access.getDatabase", "database_deleted", { databaseId: id });
  await provoke("access.rowPolicies", "database_deleted", { databaseId: id });
  await provoke("access.setRowPolicies", "database_deleted", { databaseId: id, policies: [] });
  await provoke("access.groupRoles", "database_deleted", { databaseId: id });
  await provoke("access.setGroupRoles", "database_deleted", { databaseId: id, roles: [] });
  await provoke("access.setDatabase", "database_deleted", { databaseId: id, grants: null });
  await provoke("databases.saveDescription", "database_deleted", { id, ...described });
}

const column = { schema: "public", table: "missing", column: "missing" };
