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
      // The rights to execute four functions. Each migration gives them again.
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
    // The role belongs to the server, and several of its databases may do this at once.
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock(hashtext($1))", [role]);
    const { rowCount } = await client.query("SELECT FROM pg_roles WHERE rolname = $1", [role]);
    for (const statement of statements)
      await client.query(rowCount === 0 ? statement : statement.replace(/^CREATE ROLE/, "ALTER ROLE"));
    await client.query("COMMIT");
  } finally {
    await client.end();
  }
  return url;
}
