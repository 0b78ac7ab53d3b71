import { randomBytes } from "node:crypto";
import pg from "pg";

/** The role of the public process. The function grant_public_role names it, too. */
const role = "querybell_public";

interface PublicRole {
  /** What an administrator of the server executes in the database, in this order. */
  statements: string[];
  /** The connection of the public process. */
  url: string;
}

const newPassword = (): string => randomBytes(24).toString("base64url");

/** How the role of the public process is created for a database. */
export function newPublicRole(databaseUrl: string, password = newPassword()): PublicRole {
  const { pathname } = new URL(databaseUrl);
  const database = `"${decodeURIComponent(pathname.slice(1)).replaceAll('"', '""')}"`;
  return {
    statements: [
      `CREATE ROLE ${role} LOGIN NOINHERIT CONNECTION LIMIT 100 PASSWORD '${password}'`,
      `ALTER ROLE ${role} SET statement_timeout = '10s'`,
      `GRANT CONNECT ON DATABASE ${database} TO ${role}`,
      // The rights to execute its functions. Each migration gives them again.
      "SELECT public.grant_public_role()",
    ],
    url: Object.assign(new URL(databaseUrl), { username: role, password }).href,
  };
}

/**
 * Creates the role, or gives it another password. `adminUrl` is the database with a role that may create roles. Returns the
 * connection of the public process.
 */
export async function createPublicRole(adminUrl: string, password = newPassword()): Promise<string> {
  const { statements, url } = newPublicRole(adminUrl, password);
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    while (!(await tryToCreate(client, statements))) {
      // Another database of the server has created or changed the role at this moment.
    }
  } finally {
    await client.end();
  }
  return url;
}

/** What Postgres says of a role that somebody else creates or changes at once. */
const isConcurrent = ({ code, message }: pg.DatabaseError): boolean =>
  code === "23505" || code === "42710" || message === "tuple concurrently updated";

async function tryToCreate(client: pg.Client, statements: readonly string[]): Promise<boolean> {
  try {
    await client.query("BEGIN");
    const { rowCount } = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [role]);
    for (const statement of statements)
      await client.query(rowCount === 0 ? statement : statement.replace(/^CREATE ROLE/, "ALTER ROLE"));
    await client.query("COMMIT");
    return true;
  } catch (error) {
    await client.query("ROLLBACK");
    if (error instanceof pg.DatabaseError && isConcurrent(error)) return false;
    throw error;
  }
}
