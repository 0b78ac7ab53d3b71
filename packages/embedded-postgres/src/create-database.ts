import { randomBytes } from "node:crypto";
import pg from "pg";
import { owner } from "./cluster.ts";
import type { EmbeddedPostgres } from "./start-embedded-postgres.ts";

/** A server with the role that the product uses, and the superuser that creates databases for it. */
export type DatabaseServer = Pick<EmbeddedPostgres, "url" | "superuserUrl">;

interface DatabaseOptions {
  /** Default: a new name. */
  name?: string;
  /** A database of the server whose objects belong to the same role. Default: an empty one. */
  template?: string;
}

/** Creates a database that the product's role owns, as an operator does. Disposing drops it. */
export async function createDatabase(
  server: DatabaseServer,
  { name = `test_${randomBytes(6).toString("hex")}`, template = "template1" }: DatabaseOptions = {},
): Promise<DatabaseServer & AsyncDisposable> {
  const execute = async (statement: string) => {
    await withConnection(server.superuserUrl, (client) => client.query(statement));
  };
  await execute(`CREATE DATABASE ${name} OWNER ${owner} TEMPLATE ${template}`);
  const on = (url: string) => new URL(`/${name}`, url).href;
  return {
    url: on(server.url),
    superuserUrl: on(server.superuserUrl),
    [Symbol.asyncDispose]: () => execute(`DROP DATABASE ${name} WITH (FORCE)`),
  };
}

/**
 * Creates a database that the superuser owns, and a role with only the given grants: PUBLIC has none.
 * Disposing drops both.
 */
export async function createBareDatabase(
  server: DatabaseServer,
  grants: (database: string, role: string) => string[],
): Promise<DatabaseServer & AsyncDisposable> {
  const name = `bare_${randomBytes(6).toString("hex")}`;
  const password = randomBytes(12).toString("hex");
  const { superuserUrl, ...database } = await createDatabase(server, { name });
  const executeAll = (url: string, statements: string[]) =>
    withConnection(url, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  await executeAll(superuserUrl, [
    `CREATE ROLE ${name} LOGIN PASSWORD '${password}'`,
    `ALTER DATABASE ${name} OWNER TO CURRENT_USER`,
    `REVOKE ALL ON DATABASE ${name} FROM PUBLIC`,
    "REVOKE ALL ON SCHEMA public FROM PUBLIC",
    ...grants(name, name),
  ]);
  const url = Object.assign(new URL(superuserUrl), { username: name, password }).href;
  return {
    url,
    superuserUrl,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      await executeAll(server.superuserUrl, [`DROP ROLE ${name}`]);
    },
  };
}

/** Does work on a new connection. */
export async function withConnection<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
