import { randomBytes } from "node:crypto";
import { owner } from "./cluster.ts";
import type { EmbeddedPostgres } from "./start-embedded-postgres.ts";
import { withConnection } from "./with-connection.ts";

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
