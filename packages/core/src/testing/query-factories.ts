import { existsSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import {
  type Caller,
  CreateDatabase,
  type CreateReference,
  type DatabaseConnection,
  type DatabaseLimits,
} from "@querybell/domain";
import { createDatabase } from "../databases/index.ts";
import type { Deps } from "../deps.ts";
import { createQuery } from "../queries/index.ts";
import { createReference } from "../references/index.ts";
import { toPostgresConnection } from "./postgres-connection.ts";

/** Trino only in test files that check `hasTrino` of `@querybell/engines/testing/trino`. */
export type TestEngine = DatabaseConnection["engine"];

interface QueryOptions {
  engine?: TestEngine;
  limits?: Partial<DatabaseLimits>;
  /** If given, also creates a reference that defines them. */
  parameters?: CreateReference["parameters"];
}

interface TestDatabases {
  /** The database of the tests, which also serves as an analytical one. */
  postgresUrl: string;
  duckdbFolder: string;
}

export type QueryFactories = ReturnType<typeof createQueryFactories>;

/** Creates real databases of every engine, and queries on them. */
export function createQueryFactories(deps: Deps, { postgresUrl, duckdbFolder }: TestDatabases) {
  const duckdb = async ({ organizationId }: Caller): Promise<DatabaseConnection> => {
    const { slug } = await deps.db.prisma.organization.findUniqueOrThrow({ where: { id: organizationId } });
    const path = join(duckdbFolder, `${slug}.test.duckdb`);
    if (!existsSync(path)) {
      const instance = await DuckDBInstance.create(path);
      const connection = await instance.connect();
      await connection.run(
        "CREATE TABLE fruits AS SELECT * FROM (VALUES ('apple', 3), ('pear', 5)) t(name, weight)",
      );
      connection.closeSync();
      instance.closeSync();
    }
    return { engine: "duckdb", settings: { file: "test.duckdb" } };
  };

  const trino = async (): Promise<DatabaseConnection> => {
    // Loaded here only, because it needs the global set-up that provides the cluster.
    const { startCluster } = await import("@querybell/engines/testing/trino");
    const { hostname, port } = new URL((await startCluster()).url);
    return {
      engine: "trino",
      settings: {
        host: hostname,
        port: Number(port),
        catalog: "tpch",
        schema: "tiny",
        user: "querybell",
        tls: "off",
      },
      credentials: { kind: "none" },
    };
  };

  const connection = async (caller: Caller, engine: TestEngine = "duckdb") => {
    switch (engine) {
      case "duckdb":
        return duckdb(caller);
      case "postgres":
        return toPostgresConnection(postgresUrl);
      case "trino":
        return trino();
    }
  };

  const database = async (caller: Caller, { engine = "duckdb", limits = {} }: QueryOptions = {}) =>
    createDatabase(
      deps,
      caller,
      CreateDatabase.parse({
        name: `A ${engine} database`,
        connection: await connection(caller, engine),
        limits,
      }),
    );

  const query = async (caller: Caller, sql: string, options: QueryOptions = {}) => {
    const { id: analyticalDatabaseConfigId } = await database(caller, options);
    const created = await createQuery(deps, caller, { sql, analyticalDatabaseConfigId });
    if (options.parameters) {
      await createReference(deps, caller, { queryId: created.id, parameters: options.parameters });
    }
    return created;
  };

  return { connection, database, query };
}
