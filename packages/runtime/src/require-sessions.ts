import type { Deps } from "@querybell/core";
import { explainConnectionFailure } from "@querybell/db";
import { SettingsError } from "@querybell/domain";

const connectionCount = 3;

/**
 * Throws if there is no connection to the database, or if connections share sessions of the server, as behind a pooler in
 * transaction mode. The rights of a caller are settings of a session: another caller's statement would see by them.
 */
export async function requireSessions({ db }: Pick<Deps, "db">): Promise<void> {
  const sessions = await readSessions(db).catch((cause: unknown) => {
    const sentence = explainConnectionFailure(cause);
    throw sentence === undefined ? cause : new SettingsError(sentence, { cause });
  });
  if (areShared(sessions)) {
    throw new SettingsError(
      "DATABASE_URL leads to a pooler that gives each transaction another connection, such as PgBouncer with pool_mode = transaction. Querybell keeps the rights of a caller, LISTEN and prepared statements in its connections. Use pool_mode = session, or connect to Postgres itself.",
    );
  }
}

/** The sessions in which each of several open connections has executed its statements. */
async function readSessions(db: Deps["db"]): Promise<number[][]> {
  await using released = new AsyncDisposableStack();
  const clients = [];
  for (let opened = 0; opened < connectionCount; opened++) {
    const client = await db.pool.connect();
    released.defer(() => client.release());
    clients.push(client);
  }
  const sessions: number[][] = clients.map(() => []);
  // One after the other: a pooler gives the session that became free last, or the next of all.
  for (let round = 0; round < 2; round++) {
    for (const [index, client] of clients.entries()) {
      const { rows } = await client.query<{ session: number }>("SELECT pg_backend_pid() AS session");
      for (const { session } of rows) sessions[index]?.push(session);
    }
  }
  return sessions;
}

/** Whether a connection used several sessions, or a session served several connections. */
export const areShared = (sessions: number[][]): boolean =>
  sessions.some((own) => new Set(own).size > 1) ||
  new Set(sessions.map(([session]) => session)).size < sessions.length;
