import { randomBytes } from "node:crypto";
import { createDatabase, type DatabaseServer } from "./create-database.ts";
import { withConnection } from "./with-connection.ts";

/**
 * Creates a database of the superuser, and a role that may only do in it what is granted: nothing is left to everybody.
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
